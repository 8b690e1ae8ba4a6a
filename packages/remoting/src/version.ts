/** The version of this package; a test holds it to package.json, which is not read at run time. */
export const PACKAGE_VERSION = '0.1.0';
