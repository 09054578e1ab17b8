import { describe, expect, it } from '@jest/globals';
import { isWellEncoded, pathBelowStage } from '../../exchange/incoming-request.ts';
import { createRequest } from '../small-template.ts';

describe('the path of a request', () => {
  it.each([
    ['/a', true],
    ['/%2F%c3%A4', true],
    ['/%', false],
    ['/%z', false],
    ['/%2', false],
    ['/%2z', false],
    ['/a%%20', false],
  ])('of %s is well encoded: %s', (path, expected) => {
    expect(isWellEncoded(path)).toBe(expected);
  });

  it.each([
    ['many slashes at its beginning', '/////test/orders?a=//b', '/test/orders'],
    ['a URL that is part of it', '/test/http://x.example/', '/test/http://x.example/'],
    ['a whole URL with a doubled slash', 'http://x.example//test/orders', '/test/orders'],
  ])('of %s begins with one slash', (_, target, path) => {
    expect(createRequest({ target }).path).toBe(path);
  });
});

describe('the path below a stage', () => {
  it.each([
    ['the stage alone', '/test', '/'],
    ['its root', '/test/', '/'],
    ['nothing but slashes', '/test///', '/'],
    ['a doubled slash after the stage', '/test//orders', '/orders'],
    ['a doubled slash further down', '/test/orders//7', '/orders//7'],
    ['a trailing slash', '/test/orders/', '/orders/'],
  ])('of %s is found', (_, path, below) => {
    expect(pathBelowStage(path, 'test')).toBe(below);
  });

  it.each(['/', '/other/orders', '/testorders', '/Test/orders', '//test/orders'])(
    'of %s does not exist',
    (path) => {
      expect(pathBelowStage(path, 'test')).toBeUndefined();
    },
  );
});
