import vm from 'node:vm';

/**
 * What Node has compiled in this process, by the path of the module.
 *
 * @type {Map<string, { code: string, cachedData?: Buffer }>}
 */
const compiled = new Map();

/** The CDK's modules are large, and few test files load them: keeping them would cost memory for little. */
const isNotKept = (path) => path === undefined || path.includes('/aws-cdk-lib/');

const { compileFunction } = vm;

/**
 * Keeps what Node compiles of a CommonJS module from its second use on. Jest gives every test file
 * modules of its own, and also its own parts anew, each compiled again by `vm.compileFunction`: of a
 * whole run on two processors, that was 8 % of the processor time.
 */
vm.compileFunction = (code, parameters, options) => {
  const path = options?.filename;
  if (isNotKept(path)) return compileFunction(code, parameters, options);
  const known = compiled.get(path);
  if (known?.code !== code) {
    compiled.set(path, { code });
    return compileFunction(code, parameters, options);
  }
  if (known.cachedData) {
    return compileFunction(code, parameters, { ...options, cachedData: known.cachedData });
  }
  const made = compileFunction(code, parameters, { ...options, produceCachedData: true });
  known.cachedData = made.cachedData;
  return made;
};
