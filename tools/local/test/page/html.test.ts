import { describe, expect, it } from '@jest/globals';
import { html } from '../../page/html.ts';

describe('markup', () => {
  it('escapes texts, also those in lists, takes markup as it is, and leaves out undefined values', () => {
    const text = '<script>"&"</script>';

    const markup = html`<p title="${text}">${[text, html`<em>${1}</em>`]}${undefined}</p>`;

    const escaped = '&#60;script&#62;&#34;&#38;&#34;&#60;/script&#62;';
    expect(String(markup)).toBe(`<p title="${escaped}">${escaped}<em>1</em></p>`);
  });
});
