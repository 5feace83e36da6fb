/** Parses the commands of a shell example. It supports only what the documents use. */

export type ShellCommand = {
  text: string
  /** `NAME=value` before the program, and the variables that `export` sets. */
  settings: [name: string, value: string][]
  /** The program and its arguments, without quotes and without a redirection. */
  words: string[]
}

/** Returns the commands of an example without comments. `&&`, `|` and `;` separate commands. */
export function commandsOf(example: string): ShellCommand[] {
  const lines = example.replaceAll(/\\\n\s*/g, ' ').split('\n')
  return lines
    .flatMap((line) => split(line))
    .filter(({ words, settings }) => words.length + settings.length > 0)
}

function split(line: string): ShellCommand[] {
  const commands: string[][] = [[]]
  for (const word of wordsOf(line)) {
    if (['&&', '|', ';'].includes(word)) commands.push([])
    else if (word === '#') break
    else commands.at(-1)?.push(word)
  }
  return commands.map((words) => toCommand(words, line))
}

/** Returns the words of a line. Quotes are removed, and spaces inside of them and of `$(...)`, which may have quotes of its own, are kept. */
function wordsOf(line: string): string[] {
  const pattern = /(?:\$\((?:'[^']*'|"[^"]*"|[^)'"])*\)|\$|[^\s'"$]+|'[^']*'|"(?:\\.|[^"\\])*")+/g
  return (line.match(pattern) ?? []).map((word) =>
    word.replaceAll(
      /'([^']*)'|"((?:\\.|[^"\\])*)"/g,
      (_, single?: string, double?: string) => single ?? double ?? '',
    ),
  )
}

function toCommand(given: string[], text: string): ShellCommand {
  const start = given.findIndex((word) => !/^[A-Z_]+=/.test(word))
  const assigned = start === -1 ? given : given.slice(0, start)
  const rest = start === -1 ? [] : given.slice(start)
  const redirected = rest.findIndex((word) => /^[<>]/.test(word))
  const words = redirected === -1 ? rest : rest.slice(0, redirected)
  const exported = words[0] === 'export' ? words.slice(1) : []
  const settings = [...assigned, ...exported].map((word): [string, string] => {
    const [name = '', ...value] = word.split('=')
    return [name, value.join('=')]
  })
  return { text: text.trim(), settings, words }
}
