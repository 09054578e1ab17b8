import { describe, expect, it } from '@jest/globals';
import { traceHeaderOf } from '../../../local/integrations/trace-header.ts';
import { createRequest } from '../small-template.ts';

const root = 'Root=1-3152b799-8954dae64eda91bc9a23a7e8';
const parent = 'Parent=7fa8c0f79203be72';
const of = (...sent: string[]) =>
  traceHeaderOf(createRequest({ headers: sent.map((value) => ['x-amzn-trace-id', value]) }));

describe('trace header', () => {
  it('begins a trace for a client that names none', () => {
    const { forwarded, answered } = of();

    expect(forwarded).toMatch(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/);
    expect(answered).toMatch(/^Root=[0-9a-f-]{35};Parent=[0-9a-f]{16};Sampled=0$/);
    expect(answered.startsWith(forwarded)).toBe(true);
  });

  it('hands on what the client sent, and gives it back without its spaces', () => {
    const sent = `${root}; ${parent} ; Sampled=1`;

    expect(of(sent)).toEqual({ forwarded: sent, answered: `${root};${parent};Sampled=1` });
  });

  it('keeps the root and adds what the client did not send', () => {
    const { forwarded, answered } = of(root);

    expect(forwarded).toBe(root);
    expect(answered).toMatch(new RegExp(`^${root};Parent=[0-9a-f]{16};Sampled=0$`));
  });

  it.each([
    `Root=1-secret;${parent}x;Sampled=2;key=secret`,
    `${root}x;x${parent};Sampled=10`,
    `x${root};xSampled=1`,
  ])('gives nothing back that is no field of a trace: %s', (sent) => {
    const { answered } = of(sent);

    expect(answered).toMatch(/^Root=1-[0-9a-f-]{33};Parent=[0-9a-f]{16};Sampled=0$/);
    expect(answered).not.toMatch(/3152b799|7fa8c0f79203be72/);
  });
});
