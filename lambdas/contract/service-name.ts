/**
 * The name of the service: letters, digits and spaces. All names in deployments, in a local run and in messages derive
 * from it. With another name, a deployment creates other stacks. CONTRIBUTING.md lists the files that also need the
 * new name.
 */
export const serviceTitle = 'Store Orders';

/** The name of the service without spaces, as in the names of stacks and metrics. */
export const serviceName = serviceTitle.replaceAll(' ', '');

/** The name of the service in lower case with hyphens, as in the realm of its keys. */
export const serviceRealm = serviceTitle.replaceAll(' ', '-').toLowerCase();
