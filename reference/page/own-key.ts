import type { ApiClient } from '../browser/api-client.ts';
import { element } from '../browser/elements.ts';

/** Sends the forms' requests with the key that the reader enters, where the stage allows it. */
export async function readOwnKey(client: ApiClient, baseUrl: string): Promise<void> {
  const field = element<HTMLInputElement>('api-key');
  const read = () => {
    client.key = field.value.trim();
  };
  field.addEventListener('input', read);
  // A browser may have filled it in before this script ran.
  read();
  offer(false);
  showReach(await isReadable(baseUrl));
}

/**
 * Whether the browser lets this page read what the stage answers. It asks without a key, so that
 * the request counts against nobody: the answer is 401, which is readable or not.
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

/** What cannot work is not shown. */
function offer(isAllowed: boolean): void {
  element('own-key').hidden = !isAllowed;
  for (const form of document.querySelectorAll<HTMLFormElement>('form.try')) {
    form.hidden = !isAllowed;
  }
}
