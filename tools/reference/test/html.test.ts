import { describe, expect, it } from '@jest/globals';
import { html } from '../html.ts';

describe('markup', () => {
  it('escapes every text that is put into it, in lists too', () => {
    const text = '<script>"&"</script>';

    const markup = html`<p title="${text}">${[text]}</p>`;

    const escaped = '&lt;script&gt;&quot;&amp;&quot;&lt;/script&gt;';
    expect(String(markup)).toBe(`<p title="${escaped}">${escaped}</p>`);
  });

  it('takes markup as it is, and nothing for what is undefined', () => {
    expect(String(html`<p>${html`<em>${1}</em>`}${undefined}</p>`)).toBe('<p><em>1</em></p>');
  });
});
