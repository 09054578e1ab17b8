import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { smokeTest } from '../../smoke/smoke-test.ts';
import { type FakeAnswer, fakeKey, type Mutation, startFakeStage } from './fake-stage.ts';

const allChecks = 'refuses a missing key on every operation';

interface RunOptions {
  readonly key?: string;
  readonly input?: string;
  readonly clock?: FakeClock;
}

async function run(argv: readonly string[], { key, input, clock }: RunOptions = {}) {
  const lines: string[] = [];
  const errors: string[] = [];
  const exitCode = await smokeTest(argv, {
    environment: { STORE_ORDERS_KEY: key },
    readInput: async () => input,
    print: (line) => lines.push(line),
    printError: (line) => errors.push(line),
    clock: clock ?? new FakeClock(),
  });
  return { exitCode, output: lines.join('\n'), errors };
}

async function runAgainst(mutation: Mutation | undefined, ...options: string[]) {
  await using stage = await startFakeStage(mutation);
  return await run(['--url', stage.url, ...options], { key: fakeKey });
}

/** Time that passes when it is waited for. */
class FakeClock {
  #ms = 0;

  nowMs = () => this.#ms;

  sleep = async (ms: number) => {
    this.#ms += ms;
  };
}

type Body = Record<string, unknown>;

const setBody = (answer: FakeAnswer, change: (body: Body) => void) => {
  const body = JSON.parse(String(answer.body));
  change(body);
  answer.body = JSON.stringify(body);
};

/** Spoils the answers of one status. */
const on =
  (status: number, spoil: (answer: FakeAnswer) => void): Mutation =>
  (answer) => {
    if (answer.status === status) spoil(answer);
  };

const inHeaders = (status: number, spoil: (headers: FakeAnswer['headers']) => void) =>
  on(status, ({ headers }) => spoil(headers));

const inBody = (status: number, spoil: (body: Body) => void) =>
  on(status, (answer) => setBody(answer, spoil));

const inPlainList = (spoil: (list: string) => string) =>
  on(200, (answer) => {
    if (!answer.headers['Content-Encoding']) answer.body = spoil(String(answer.body));
  });

const mutations: [string, Mutation, string][] = [
  [
    'a rate-limit header is missing on 401',
    inHeaders(401, (headers) => delete headers['X-RateLimit-Reset']),
    'header x-ratelimit-reset is missing',
  ],
  [
    'RateLimit is missing on 401',
    (answer) => {
      if (answer.status === 401) delete answer.headers.RateLimit;
    },
    'header ratelimit is missing',
  ],
  [
    'RateLimit says another remaining than X-RateLimit-Remaining',
    (answer) => {
      if (answer.status !== 410) return;
      answer.headers.RateLimit = '"minute";r=1;t=30, "day";r=900;t=40000';
    },
    'ratelimit is "minute";r=1;t=30',
  ],
  [
    'RateLimit-Policy says another quota than X-RateLimit-Limit',
    (answer) => {
      if (answer.status !== 404) return;
      answer.headers['RateLimit-Policy'] = '"minute";q=61;w=60, "day";q=1001;w=86400';
    },
    'the x-ratelimit headers describe no such window',
  ],
  [
    'a 401 states an allowance',
    inHeaders(401, (headers) => (headers['X-RateLimit-Limit'] = '60')),
    'rate-limit headers are 60, 0, 0, expected 0, 0, 0',
  ],
  [
    'one of the 401 answers has a message of its own',
    (answer, { authorization }) => {
      if (authorization?.startsWith('Basic')) setBody(answer, (body) => (body.message = 'Basic?'));
    },
    'the bodies differ',
  ],
  [
    'WWW-Authenticate was renamed',
    inHeaders(401, (headers) => {
      delete headers['WWW-Authenticate'];
      headers['x-amzn-Remapped-WWW-Authenticate'] = 'Bearer realm="store-orders"';
    }),
    'header www-authenticate is missing',
  ],
  [
    'a wrong key is served',
    (answer, { authorization }) => {
      if (authorization === `Bearer  ${fakeKey}`) answer.status = 200;
    },
    'answered 200 unauthorized, expected 401 unauthorized',
  ],
  [
    "an unknown path gets API Gateway's own answer",
    on(404, (answer) => {
      answer.status = 403;
      answer.body = '{"message":"Missing Authentication Token"}';
    }),
    'status 403 is not in openapi.yaml',
  ],
  [
    'an error has a field too many',
    inBody(410, (body) => (body.stack = 'at …')),
    'must NOT have unevaluated properties',
  ],
  [
    "an error's status differs from the response's",
    inBody(404, (body) => (body.status = 400)),
    'status must be equal to constant',
  ],
  [
    'an undocumented header is sent',
    ({ headers }) => {
      headers['X-Powered-By'] = 'Something';
    },
    'header x-powered-by is not in openapi.yaml',
  ],
  [
    'the list is cut off',
    on(200, (answer) => (answer.body = answer.body.slice(0, -1))),
    'the array is not closed',
  ],
  [
    'an id was rounded',
    inPlainList((list) => list.replace('9223372036854775807', '9223372036854775808')),
    'holds 9223372036854775808, which is no 64-bit integer',
  ],
  [
    'an order shows its status',
    inPlainList(() => '[{"id":1,"status":"pending"}]'),
    'must NOT have unevaluated properties',
  ],
  [
    'the list is buffered',
    on(200, ({ headers, body }) => (headers['Content-Length'] = String(body.length))),
    'has a content-length, so it was not streamed',
  ],
  [
    'Remaining stands still',
    inHeaders(410, (headers) => (headers['X-RateLimit-Remaining'] = '50')),
    'x-ratelimit-remaining went from 50 to 50',
  ],
  [
    'the sunset date is another one',
    inHeaders(410, (headers) => (headers.Sunset = 'Fri, 01 Jan 2027 00:00:00 GMT')),
    'documented is Sun, 01 Nov 2026',
  ],
  [
    'a bad order id breaks the service',
    (answer, { path }) => {
      if (path.endsWith('/0x10')) answer.status = 500;
    },
    'answered 500 invalid_order_id, expected 400 invalid_order_id (order id 0x10)',
  ],
  [
    'the key is repeated in a response',
    (answer, { authorization }) => {
      if (authorization?.includes(fakeKey) && answer.status >= 400) {
        setBody(answer, (body) => (body.message = `You sent ${authorization}`));
      }
    },
    'the response repeats the API key',
  ],
];

const limitMutations: [string, Mutation, string][] = [
  [
    'Retry-After is missing on 429',
    inHeaders(429, (headers) => delete headers['Retry-After']),
    'header retry-after is missing',
  ],
  [
    'Retry-After is too short',
    inHeaders(429, (headers) => (headers['Retry-After'] = '1')),
    'retry-after is 1, the window ends in',
  ],
  [
    'the message does not say how long to wait',
    inBody(429, (body) => (body.message = 'Slow down.')),
    'the message does not say how long to wait',
  ],
];

describe('smoke test', () => {
  it('exits with 0 on a stage that keeps the contract', async () => {
    const { exitCode, output } = await runAgainst(undefined, '--cancel-order', '2', '--limits');

    expect(output).toContain(' 0 failed, 0 skipped');
    expect(exitCode).toBe(0);
  });

  it.each(mutations)(
    'exits with 1 and names the difference where %s',
    async (_what, mutation, difference) => {
      const { exitCode, output } = await runAgainst(mutation);

      expect(output).toContain(difference);
      expect(exitCode).toBe(1);
    },
  );

  it.each(limitMutations)('finds with --limits that %s', async (_what, mutation, difference) => {
    const { exitCode, output } = await runAgainst(mutation, '--limits');

    expect(output).toContain(difference);
    expect(exitCode).toBe(1);
  });

  it('leaves the limit alone where it is too high to be reached', async () => {
    const raise: Mutation = (answer) => {
      const { 'X-RateLimit-Limit': limit, 'X-RateLimit-Remaining': remaining } = answer.headers;
      if (limit === '0') return;
      const [minute = '', ...rest] = answer.headers.RateLimit!.split(/(?=;t=)/);
      const left = String(Number(remaining) + 50_000);
      answer.headers['X-RateLimit-Limit'] = '60000';
      answer.headers['X-RateLimit-Remaining'] = left;
      answer.headers['RateLimit-Policy'] = '"minute";q=60000;w=60, "day";q=10000000;w=86400';
      answer.headers.RateLimit = minute.replace(/\d+$/, left) + rest.join('');
    };

    const { exitCode, output } = await runAgainst(raise, '--limits', '--wait');

    expect(output).toContain('requests left: use one of the Free plan');
    expect(output).toContain(' 0 failed, 3 skipped');
    expect(exitCode).toBe(0);
  });

  it('never prints a key, whatever the stage answers', async () => {
    const repeatKey: Mutation = (answer, { authorization }) => {
      answer.headers['X-Echo'] = authorization ?? '';
      answer.body = JSON.stringify({ authorization });
    };

    const { output, errors } = await runAgainst(repeatKey, '--limits');

    expect(output).toContain('so_test_<hidden>');
    expect(output + errors.join()).not.toMatch(/so_(live|test)_[0-9A-Za-z]/);
  });

  it.each([[], ['--json']])(
    'leaves the terminal as it is, whatever the stage answers: %j',
    async (...options) => {
      const clearScreen = '\u001b[2J\u009b2J';
      const mutation: Mutation = (answer) => {
        if (answer.status !== 401) return;
        answer.headers['WWW-Authenticate'] = 'Bearer \u009b2J';
        setBody(answer, (body) => Object.assign(body, { code: clearScreen, message: clearScreen }));
      };

      const { output } = await runAgainst(mutation, ...options);

      expect(output).toContain('\\u001b[2J\\u009b2J');
      expect(output).not.toMatch(/(?!\n)\p{Cc}/u);
    },
  );

  it('prints one line of JSON with --json', async () => {
    const { output } = await runAgainst(undefined, '--json');

    const { failed, checks } = JSON.parse(output);
    expect(failed).toBe(0);
    expect(checks[0]).toEqual({
      group: 'Authentication',
      title: 'refuses a missing Authorization header',
      outcome: 'passed',
      details: [],
      evidence: [],
      elapsedMs: expect.any(Number),
      requests: 1,
      bytes: 70,
    });
  });

  it('exits with 1 when nothing listens at the address', async () => {
    const { exitCode, errors } = await run(['--url', 'http://127.0.0.1:1/staging/v1'], {
      key: fakeKey,
    });

    expect(exitCode).toBe(1);
    expect(errors).toEqual([expect.stringContaining('--url does not answer')]);
  });

  it('exits with 1 when the stage refuses the key', async () => {
    await using stage = await startFakeStage();
    const otherKey = `so_test_${'a'.repeat(46)}`;

    const { exitCode, errors } = await run(['--url', stage.url], { key: otherKey });

    expect(exitCode).toBe(1);
    expect(errors).toEqual([expect.stringContaining('the key is refused by the stage (401)')]);
  });

  it('exits with 1 when the key has too little left, and says when to come back', async () => {
    const { exitCode, errors } = await runAgainst((answer) => {
      answer.headers['X-RateLimit-Remaining'] = '3';
    });

    expect(exitCode).toBe(1);
    expect(errors).toEqual([
      expect.stringMatching(/^smoke: the key has 3 of 100 requests left .*in \d+ seconds/),
    ]);
  });

  it.each([
    [[], '--url is missing'],
    [
      ['--url', 'ftp://host/v1'],
      '--url: "ftp://host/v1" is not accepted; expected an http:// or https://',
    ],
    [['--url', 'http://host/prod'], 'an address that ends with /v1'],
    [['--url', 'http://host/v1'], 'the API key is missing: set STORE_ORDERS_KEY, or pipe'],
    [['--url', 'http://host/v1', '--key', fakeKey], 'a key on the command line stays in logs'],
    [['--url', 'http://host/v1', `--key=${fakeKey}`], 'a key on the command line stays in logs'],
    [['--url', 'http://host/v1', fakeKey], 'a key on the command line stays in logs'],
    [['--url', `x${fakeKey}`], 'so_test_<hidden>'],
    [
      ['--url', 'http://host/v1', '--expect-limits', '5000'],
      '--expect-limits: "5000" is not accepted; expected two numbers such as 5000/2000000',
    ],
    [
      ['--url', 'http://host/v1', '--cancel-order', '007'],
      '--cancel-order: "007" is not accepted; expected the digits',
    ],
    [
      ['--url', 'http://host/v1', '--timeout', '1.5'],
      '--timeout: "1.5" is not accepted; expected whole seconds',
    ],
    [['--unknown'], '"--unknown": no such option; npm run smoke -- --help lists them'],
  ])('explains a wrong call in one line: %j', async (argv, message) => {
    const { exitCode, errors } = await run(argv);

    expect(exitCode).toBe(1);
    expect(errors).toEqual([expect.stringContaining(message)]);
    expect(errors[0]).not.toContain('\n');
  });
});

describe('smoke test, before it begins', () => {
  const unavailable = '{"code":"service_unavailable","message":"Please retry.","status":503}';

  /** The first answers are what API Gateway gives while a new key is not known everywhere. */
  const unknownAtFirst = (pattern: string): Mutation => {
    const isBad = [...pattern].map((mark) => mark === 'x');
    return (answer) => {
      if (isBad.shift()) Object.assign(answer, { status: 503, body: unavailable });
    };
  };

  it('asks until five answers in a row are good, and says what it waits for', async () => {
    await using stage = await startFakeStage(unknownAtFirst('xx..x....x'));
    const clock = new FakeClock();

    const { exitCode, errors } = await run(['--url', stage.url], { key: fakeKey, clock });

    expect(exitCode).toBe(0);
    expect(errors).toEqual([
      expect.stringMatching(
        /^Waiting until API Gateway knows the key .*120 s at most: it answers 503 .*service_unavailable/,
      ),
      'Answers are steady, after 28 s',
    ]);
  });

  it('gives up after 120 seconds, and says what it was told last', async () => {
    await using stage = await startFakeStage(unknownAtFirst('x'.repeat(100)));
    const clock = new FakeClock();

    const { exitCode, errors } = await run(['--url', stage.url], { key: fakeKey, clock });

    expect(exitCode).toBe(1);
    expect(clock.nowMs()).toBe(120_000);
    expect(errors.at(-1)).toMatch(
      /^smoke: --url does not answer steadily after 120 s: it answers 503/,
    );
  });

  it('tells an address that is not the service from a broken contract', async () => {
    const { exitCode, errors } = await runAgainst((answer) => {
      Object.assign(answer, { status: 404, headers: {}, body: '<html>Nothing here</html>' });
    });

    expect(exitCode).toBe(1);
    expect(errors).toEqual([
      "smoke: --url is not the address of this service: it answers 404 (no content type) <html>Nothing here</html>. Give the stack's output BaseUrl, with its stage and version: https://…/staging/v1",
    ]);
  });

  it('says that the address is wrong where the service knows no such path', async () => {
    await using stage = await startFakeStage();
    const url = stage.url.replace('/staging/v1', '/v1');

    const { exitCode, errors } = await run(['--url', url], { key: fakeKey });

    expect(exitCode).toBe(1);
    expect(errors).toEqual([
      expect.stringMatching(/--url is not the address .* 404 .*not_found.* output BaseUrl/),
    ]);
  });

  it('asks whether the stage is right where API Gateway knows none of this name', async () => {
    const { errors } = await runAgainst((answer) => {
      Object.assign(answer, { status: 403, headers: {}, body: '{"message":"Forbidden"}' });
    });

    expect(errors.at(-1)).toMatch(/403 .*Forbidden.*is this the stack's output BaseUrl/);
  });

  it('says what to do about a name that has no DNS record', async () => {
    const { exitCode, errors } = await run(['--url', 'https://api.store.invalid/v1'], {
      key: fakeKey,
    });

    expect(exitCode).toBe(1);
    expect(errors[0]).toMatch(/no D?NS? ?(record|server).* api\.store\.invalid/);
  });

  it('reads the key from standard input where the environment has none', async () => {
    await using stage = await startFakeStage();

    const { exitCode } = await run(['--url', stage.url, '--quick'], { input: `${fakeKey}\n` });

    expect(exitCode).toBe(0);
  });
});

describe('the report of the smoke test', () => {
  it('shows of a failure the request, its status and id, and the first of its body', async () => {
    const { output } = await runAgainst((answer, { method, path }) => {
      answer.headers['x-amzn-RequestId'] = 'request-1';
      if (method === 'DELETE' && path.endsWith('/abc')) answer.status = 500;
    });

    expect(output).toMatch(
      /› DELETE \/store\/orders\/abc: 500 in \d+ ms, request request-1, body \{"code":"invalid_order_id"/,
    );
  });

  it('reports a header that no answer has a single time', async () => {
    const { output } = await runAgainst(({ headers }) => delete headers['X-RateLimit-Reset']);

    expect(output.match(/header x-ratelimit-reset is missing/g)).toHaveLength(1);
    expect(output).toContain('and what is reported above of another answer');
  });

  it('says time and bytes of each check', async () => {
    const { output } = await runAgainst(undefined);

    expect(output).toMatch(/refuses a missing Authorization header \(\d+ ms, 70 bytes\)/);
    expect(output).toMatch(/no canonical int64 \(8 requests, \d+ ms, /);
  });

  it.each([
    ['missing', undefined],
    ['nonsense', 'soon'],
  ])('never calls a number what is none: headers that are %s', async (_, value) => {
    const names = [
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Retry-After',
    ];
    const spoil: Mutation = ({ headers }) => {
      for (const name of [...names, 'Date']) {
        if (value === undefined) delete headers[name];
        else headers[name] = value;
      }
    };

    const { output, errors } = await runAgainst(spoil, '--limits');

    expect(output).toContain('✗');
    expect(output + errors.join()).not.toMatch(/NaN|undefined/);
  });

  it('makes the first check of each group with --quick', async () => {
    const { output: quick } = await runAgainst(undefined, '--quick');
    const { output: whole } = await runAgainst(undefined);
    const groups = (output: string) => output.match(/^[A-Z].*$/gm)?.slice(1);

    expect(groups(quick)).toEqual(groups(whole));
    expect(whole).toContain(allChecks);
    expect(quick).not.toContain(allChecks);
  });

  it('reads a large list a single time', async () => {
    const many = JSON.stringify(Array.from({ length: 1_001 }, (_, id) => ({ id })));
    let lists = 0;

    const { exitCode, output } = await runAgainst((answer) => {
      if (answer.status !== 200) return;
      lists++;
      answer.body = gzipSync(many);
    });

    expect(exitCode).toBe(0);
    expect(lists).toBe(1);
    expect(output).toContain('there are 1001 orders, and they are read once');
  });

  it("finds that an owner's limits are not those that were agreed", async () => {
    const { exitCode, output } = await runAgainst(undefined, '--expect-limits', '5000/2000000');

    expect(exitCode).toBe(1);
    expect(output).toContain(
      'ratelimit-policy is "minute";q=100;w=60, "day";q=1000;w=86400, expected "minute";q=5000;w=60, "day";q=2000000;w=86400',
    );
  });

  it('leaves HTTP/2 out where the address has no TLS', async () => {
    const { output } = await runAgainst(undefined, '--http2', '--quick');

    expect(output).toContain('HTTP/2 needs an https:// address');
  });
});
