import { describe, expect, it } from '@jest/globals';
import { cancellationCount, timedCancellations, timedList } from '../../acceptance/orders.ts';
import type { Answer } from '../../stage/http-client.ts';
import { Stage } from '../../stage/stage.ts';

type Sent = Omit<Answer, 'question' | 'headers'> & { readonly coding?: string };

/** A stage whose requests a function answers. */
function stageWith(answer: (path: string, accepted?: string) => Sent): Stage {
  return new Stage(async (question) => {
    const { coding, ...rest } = answer(question.path, question.headers?.['accept-encoding']);
    return { question, headers: new Map(coding ? [['content-encoding', [coding]]] : []), ...rest };
  }, 'key');
}

describe('a list', () => {
  it('is shown with its size, coding and times', async () => {
    const stage = stageWith((_, coding = '') => ({
      status: 200,
      durationMs: 7,
      text: '[{},{}]',
      coding,
    }));

    expect(await timedList(stage, 'zstd')).toMatch(
      /^2 orders as zstd, first byte after 7 ms, whole after \d+ ms$/,
    );
  });

  it('is shown as identity without a coding, and as it is if it is an error', async () => {
    const plain = stageWith(() => ({ status: 200, durationMs: 7, text: '[]' }));
    const error = stageWith(() => ({ status: 503, durationMs: 7, text: '{}' }));

    expect(await timedList(plain, 'zstd')).toMatch(/^0 orders as identity, /);
    expect(await timedList(error, 'zstd')).toBe('503 (no content type) {}');
  });
});

describe('cancellations', () => {
  const signal = new AbortController().signal;

  /** Answers every request with 204, except the tenth. The four requests directly after `renew` are slower. */
  function stageThatAnswers(tenth: number) {
    const paths = new Set<string>();
    let coldRequests = 0;
    const renew = async () => {
      coldRequests = 4;
    };
    const stage = stageWith((path) => {
      paths.add(path);
      const status = paths.size === 10 ? tenth : 204;
      return { status, durationMs: coldRequests-- > 0 ? 900 : paths.size, text: '' };
    });
    return { paths, renew, stage };
  }

  it('of different orders are measured with new and with warm environments', async () => {
    const { paths, renew, stage } = stageThatAnswers(204);

    const seen = await timedCancellations(stage, signal, renew);

    expect(paths.size).toBe(cancellationCount);
    // The warm requests took from 21 to 1,000 ms: a percentile is a sample that so many do not exceed.
    expect(seen).toBe(
      '1000 × 204; cold p50 900 ms, p90 900 ms, p99 900 ms; warm p50 510 ms, p90 902 ms, p99 991 ms',
    );
  });

  it('are counted only with a 204', async () => {
    const { renew, stage } = stageThatAnswers(503);

    expect(await timedCancellations(stage, signal, renew)).toMatch(/^999 × 204; /);
  });

  it('stop when the run is interrupted', async () => {
    const { paths, renew, stage } = stageThatAnswers(204);

    const seen = timedCancellations(stage, AbortSignal.abort(), renew);

    await expect(seen).rejects.toThrow('aborted');
    expect(paths.size).toBe(0);
  });
});
