import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/support/files.ts';
import { blocksOf } from './rules/markdown.ts';
import { read, repositoryFiles } from './sources.ts';

const FOLDER = 'build/examples';

/** A project beside the tests, with their settings; examples in pages name a document, so it has the DOM. */
const PROJECT = {
  extends: '../../test/tsconfig.json',
  compilerOptions: {
    rootDir: '../..',
    lib: ['es2023', 'esnext.disposable', 'dom'],
    noUnusedLocals: false,
    paths: { leasehold: ['../../client/index.ts'], 'leasehold-server': ['../../server/index.ts'] },
  },
  include: ['*.ts'],
  references: [],
};

interface Example {
  readonly from: string;
  readonly code: string;
}

/** The blocks of a page that are whole programs. A block in `js` is checked as TypeScript all the same. */
const examplesOf = (path: string, page: string): readonly Example[] =>
  blocksOf(page)
    .filter((block) => block.language === 'ts' || block.language === 'js')
    .map((block) => ({ from: `${path}:${block.line}`, code: block.code }));

/** What the compiler says against the examples, each with the page and line it comes from. */
function problemsOf(examples: readonly Example[]): readonly string[] {
  rmSync(join(root, FOLDER), { recursive: true, force: true });
  mkdirSync(join(root, FOLDER), { recursive: true });
  writeFileSync(join(root, FOLDER, 'tsconfig.json'), JSON.stringify(PROJECT));
  for (const [index, example] of examples.entries()) {
    writeFileSync(join(root, FOLDER, `example-${index}.ts`), `${example.code}\nexport {};\n`);
  }
  const ran = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', FOLDER], { cwd: root, encoding: 'utf8' });
  return ran.stdout.split('\n').flatMap((line) => {
    const [, index = ''] = /example-(\d+)\.ts/.exec(line) ?? [];
    if (index !== '') return [`${examples[Number(index)]?.from ?? '?'} ${line}`];
    return line.includes('error TS') ? [line] : [];
  });
}

const PLANTED = `# A\n\n\`\`\`ts\nimport { connect } from 'leasehold';\nconnect('ws://x').fly();\n\`\`\`\n`;

describe('examples', () => {
  test('every example in the pages compiles, and one that does not is found', { timeout: 120_000 }, () => {
    const pages = repositoryFiles().filter((path) => path.endsWith('.md'));
    const examples = pages.flatMap((path) => examplesOf(path, read(path)));
    expect(examples.some((example) => example.from.startsWith('README.md'))).toBe(true);
    // One run of the compiler for all of them, since it takes longer than everything else here.
    const problems = problemsOf([...examples, ...examplesOf('planted.md', PLANTED)]);
    expect(problems).toEqual([expect.stringMatching(/^planted\.md:3 .*Property 'fly' does not exist/)]);
  });
});
