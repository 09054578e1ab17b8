/** The Region of everything in a local run. */
export const localRegion = 'us-east-1';
