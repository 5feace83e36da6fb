/** Compares two snapshots: npx node server/testing/snapshots/compare.ts BEFORE AFTER */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Returns one text for each file that differs, with the lines that do. Equal differences of several files, such as the same page in
 * three languages or a menu on every screen, are one text.
 */
export function differencesOf(before: string, after: string): string[] {
  const { stdout } = spawnSync('diff', ['--recursive', '--new-file', '--unified=0', before, after], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  })
  const names = new Map<string, string[]>()
  for (const file of stdout.split(/^diff .*\n/m).filter(Boolean)) {
    const name = (/^\+\+\+ (\S+)/m.exec(file)?.[1] ?? '').replace(after, '').slice(1)
    const lines = file.split('\n').filter((line) => /^[+-](?!\+\+ |-- )/.test(line))
    const text = lines.join('\n')
    names.set(text, [...(names.get(text) ?? []), name])
  }
  return [...names].map(([text, files]) => `${files.join(', ')}\n${text}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [before = '', after = ''] = process.argv.slice(2)
  const differences = differencesOf(before, after)
  for (const each of differences) console.log(each)
  console.log(`${differences.length} differences`)
}
