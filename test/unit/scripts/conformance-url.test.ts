import { expect, test } from 'vitest';
import { noUrl, silenceAt } from '../../conformance/first-hello.ts';

test.each(['ws://127.0.0.1:7400', 'wss://locks.example.org/behind/a/path'])('%s can be a coordinator', (url) => {
  expect(noUrl(url)).toBeNull();
});

test.each(['nonsense', '', 'http://127.0.0.1:7400', 'ws://127.0.0.1:99999', 'ws://host/?a', 'ws://host/#a'])(
  '%j is no URL of a coordinator',
  (url) => {
    expect(noUrl(url)).not.toBeNull();
  },
);

test('where nobody listens nobody answers a hello', async () => {
  expect(await silenceAt('ws://127.0.0.1:1')).toBe('the socket does not open');
});
