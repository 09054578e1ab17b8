import type { ApiClient } from '../browser/api-client.ts';
import { element } from '../browser/elements.ts';

/** Sends the forms' requests with the reader's key, if the stage allows requests of this page. */
export async function readOwnKey(client: ApiClient, baseUrl: string): Promise<void> {
  const field = element<HTMLInputElement>('api-key');
  const read = () => {
    client.key = field.value.trim();
  };
  field.addEventListener('input', read);
  // The browser may have filled in the field before this script ran.
  read();
  offer(false);
  showReach(await isReadable(baseUrl));
}

/**
 * Whether the browser lets this page read the stage's answers. The request has no key, so that it is
 * not counted; if its answer, which is 401, can be read, others can be read as well.
 */
function isReadable(baseUrl: string): Promise<boolean> {
  return fetch(`${baseUrl}/store/orders`).then(
    () => true,
    () => false,
  );
}

function showReach(isAllowed: boolean): void {
  const reach = element('reach');
  reach.dataset.state = isAllowed ? 'allowed' : 'refused';
  reach.textContent = isAllowed
    ? 'The stage allows this page: enter your key, and “Send” at an operation sends a request to the stage.'
    : "Requests from this page are not possible: the stage does not allow this page's origin (CORS), or cannot be reached. The samples work from a terminal.";
  offer(isAllowed);
}

/** Hides the key's field and the forms if the stage does not allow the page's requests. */
function offer(isAllowed: boolean): void {
  element('own-key').hidden = !isAllowed;
  for (const form of document.querySelectorAll<HTMLFormElement>('form.try')) {
    form.hidden = !isAllowed;
  }
}
