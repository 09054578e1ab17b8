import { Reference } from '../../demo/page/reference.ts';

/** What contract.js sets. */
declare const storeOrders: { readonly contract: object; readonly baseUrl: string };

const { contract, baseUrl } = storeOrders;
new Reference(contract, { url: baseUrl, description: 'this stage' }, () => {});
showReach();

/**
 * Says whether the browser lets this page read what the stage answers. It asks without a key, so
 * that the request counts against nobody: the answer is 401, which is readable or not.
 */
async function showReach(): Promise<void> {
  const isReadable = await fetch(`${baseUrl}/store/orders`).then(
    () => true,
    () => false,
  );
  const reach = document.getElementById('reach')!;
  reach.dataset.state = isReadable ? 'allowed' : 'refused';
  reach.textContent = isReadable
    ? 'The stage allows this page: enter your key under “Authorize”, and “Execute” sends it to the stage.'
    : "“Execute” does not work here: the stage does not allow this page's origin (CORS), or cannot be reached. Use the samples above.";
}
