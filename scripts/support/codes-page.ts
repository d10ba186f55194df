import { CODES } from '../../shared/codes.ts';

const HEAD = `# Codes

Every refusal, loss and end has one of these codes: in \`error\` messages and close reasons of the protocol, in the
\`code\` of a \`LeaseError\`, in HTTP answers, and behind the exit codes of the command. This page is printed from
\`shared/codes.ts\` by \`npm run codes\`.

- **fault**: who can change it: the caller, the coordinator, the network, the operator, or nobody.
- **again**: whether the same request can succeed later; \`retryAfterMs\` beside the code says when.
- **close**: the WebSocket close code that says it, when the coordinator ends the connection with it.
- **exit**: the exit code of the command.

| code | what happened | what to do | fault | again | close | HTTP | exit |
| --- | --- | --- | --- | --- | --- | --- | --- |
`;

/** docs/CODES.md as the registry has it. */
export function codesPage(): string {
  const rows = Object.entries(CODES).map(([code, entry]) => {
    const again = entry.retryable ? 'yes' : 'no';
    return `| <a id="${code}"></a>\`${code}\` | ${entry.meaning} | ${entry.cure} | ${entry.fault} | ${again} | ${entry.close ?? ''} | ${entry.http} | ${entry.exit} |`;
  });
  return `${HEAD}${rows.join('\n')}\n`;
}
