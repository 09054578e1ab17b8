import fc from 'fast-check';

/*
 * Set up before each test file: a property that fails ends at once. To look for the smallest example
 * takes longer than all other tests together, and tells nothing about a mutant.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
