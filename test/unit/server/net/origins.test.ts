import { describe, expect, test } from 'vitest';
import { canonicalOrigin, originRefusal, type OriginRules } from '../../../../server/net/origins.ts';

const listed: OriginRules = { origins: ['https://app.example'], hosts: ['locks.example'], anyLoopbackOrigin: false };
const none: OriginRules = { origins: [], hosts: [], anyLoopbackOrigin: false };
const dev: OriginRules = { ...none, anyLoopbackOrigin: true };

const codeOf = (
  rules: OriginRules,
  origin: string | undefined,
  host: string | undefined = '127.0.0.1:7400',
): string | null => originRefusal(rules, { origin, host, scheme: 'http' })?.code ?? null;

describe('S11 the origin of a page', () => {
  test('S11 F20 only the listed origin passes, compared whole', () => {
    expect(codeOf(listed, 'https://app.example')).toBeNull();
    for (const foreign of [
      'https://app.example.evil.io',
      'https://notapp.example',
      'http://app.example',
      'https://app.example:8443',
      'https://app.example/',
      'HTTPS://APP.EXAMPLE.',
      'null',
      '',
      'http://1.2.3.4',
      'https://app.example@evil.io',
      '*',
    ]) {
      expect(codeOf(listed, foreign), foreign).toBe('origin-not-allowed');
    }
  });

  test('S11 F20 an empty list means none, and what is not a browser sends no origin', () => {
    expect(codeOf(none, 'https://app.example')).toBe('origin-not-allowed');
    expect(codeOf(none, undefined)).toBeNull();
  });

  test('S11 a page of the same origin passes, with scheme and port', () => {
    expect(codeOf(none, 'http://127.0.0.1:7400')).toBeNull();
    expect(codeOf(none, 'http://127.0.0.1:7401')).toBe('origin-not-allowed');
    expect(codeOf(none, 'https://127.0.0.1:7400')).toBe('origin-not-allowed');
    expect(codeOf(none, 'http://localhost', 'localhost:80')).toBeNull();
  });

  test('S11 dev lets in every loopback origin and no other', () => {
    for (const own of [
      'http://localhost:5173',
      'https://127.0.0.1:3000',
      'http://[::1]:8080',
      'http://app.localhost:1',
    ]) {
      expect(codeOf(dev, own), own).toBeNull();
      expect(codeOf(none, own), own).toBe('origin-not-allowed');
    }
    for (const foreign of ['http://localhost.evil.io', 'http://127.0.0.1.evil.io', 'http://128.0.0.1', 'null']) {
      expect(codeOf(dev, foreign), foreign).toBe('origin-not-allowed');
    }
  });

  test('S10 a refusal names the flag that cures it, and repeats nothing that a browser cannot have sent', () => {
    const text = (origin: string): string =>
      originRefusal(none, { origin, host: '127.0.0.1', scheme: 'http' })?.text ?? '';
    expect(text('https://app.example')).toContain('--origin https://app.example');
    expect(text('https://x;rm -rf /')).not.toContain('rm');
    expect(text('null')).toContain('never allowed');
  });
});

describe('S11 the Host header', () => {
  test('S11 F20 loopback names, addresses and listed names pass; a foreign name does not', () => {
    for (const own of [
      'localhost',
      'LOCALHOST:7400',
      '127.0.0.1:7400',
      '[::1]:7400',
      '10.0.0.7:80',
      'locks.example',
      'Locks.Example:443',
      'locks.example.',
    ]) {
      expect(codeOf(listed, undefined, own), own).toBeNull();
    }
    for (const foreign of [
      'evil.io',
      'locks.example.evil.io',
      'evil.io:7400',
      '',
      'a b',
      'user@locks.example',
      'locks.example/x',
    ]) {
      expect(codeOf(listed, undefined, foreign), foreign).toBe('host-not-allowed');
    }
    expect(originRefusal(listed, { origin: undefined, host: undefined, scheme: 'http' })?.code).toBe(
      'host-not-allowed',
    );
  });

  test('S11 a foreign name that leads here is not of the same origin as the page that it served', () => {
    expect(codeOf(none, 'http://evil.io:7400', 'evil.io:7400')).toBe('host-not-allowed');
  });

  test('S10 a refused name is told with the flag that allows it', () => {
    expect(originRefusal(none, { origin: undefined, host: 'locks.example:7400', scheme: 'http' })?.text).toContain(
      '--allow-host locks.example',
    );
  });
});

test('S11 an origin is only what a browser can write', () => {
  expect(canonicalOrigin('https://App.Example:443')).toBe('https://app.example');
  for (const text of [
    'https://app.example/',
    'https://a@b',
    'file://x',
    'https://*.example',
    'app.example',
    'https://',
  ]) {
    expect(canonicalOrigin(text), text).toBeNull();
  }
});
