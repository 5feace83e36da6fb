/**
 * Returns the arguments of a command as an operator types it: argv`payment show --payment ${id}`. A value is one argument, whatever
 * characters it has. A list of values is several.
 */
export function argv(texts: TemplateStringsArray, ...values: (string | readonly string[])[]): string[] {
  return texts.flatMap((text, index) => [
    ...text.split(/\s+/).filter(Boolean),
    ...[values[index] ?? []].flat(),
  ])
}
