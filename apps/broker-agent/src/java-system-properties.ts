/** Java's system properties, out of the variables where users of Apache's scripts put them: `-Dname=value`, of several the last one. */
export function javaSystemProperties(
  variables: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const properties: Record<string, string> = {};
  for (const variable of ['JAVA_OPT', 'JAVA_OPT_EXT'])
    for (const option of (variables[variable] ?? '').split(/\s+/)) {
      const [, name, value = ''] = /^-D([^=]+)=(.*)$/.exec(option.replaceAll(/["']/g, '')) ?? [];
      if (name !== undefined) properties[name] = value;
    }
  return properties;
}
