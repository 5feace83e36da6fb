/** An npm script with several cases: the first argument names the case, and the rest goes to its programs. */
import { spawnSync } from 'node:child_process'

/** `runs`: the commands of the case, one after the other. The last one gets the arguments. */
export type Case = { what: string; runs: [program: string, ...words: string[]][] }

/** Runs the case that the arguments name. Without a known name it lists all cases, and the exit code is 1. */
export function runCase(script: string, cases: Record<string, Case>, [name = '', ...words]: string[]): void {
  const chosen = Object.hasOwn(cases, name) ? cases[name] : undefined
  if (!chosen) {
    console.error(listCases(script, cases))
    process.exitCode = name === '--help' ? 0 : 1
    return
  }
  for (const [index, [program, ...given]] of chosen.runs.entries()) {
    const isLast = index === chosen.runs.length - 1
    const { status } = spawnSync(program, [...given, ...(isLast ? words : [])], { stdio: 'inherit' })
    if (status !== 0) {
      process.exitCode = status ?? 1
      return
    }
  }
}

function listCases(script: string, cases: Record<string, Case>): string {
  const width = Math.max(...Object.keys(cases).map((name) => name.length))
  const rows = Object.entries(cases).map(([name, { what }]) => `  ${name.padEnd(width)}  ${what}`)
  return [`Usage: npm run ${script} -- CASE [options]`, '', ...rows].join('\n')
}
