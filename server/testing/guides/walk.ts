/** Runs the lines of a guide as they stand, in their order. A line that is not run has its reason in a rule. */
import type { Machine } from '../processes/borrowed-machine.ts'

/** Stands for every line that it matches, under a heading if it names one. The first rule that matches is that of the line. */
export type Rule = {
  line: RegExp
  under?: string
  /** The number of the example under its heading, from 1. Without it any. */
  example?: number
  /** Why the line is not run. */
  not?: string
  /** What stands for the ids and names of the examples. */
  fill?(): Record<string, string>
  /** The code with which the line ends, if it is not 0. Null: it may end with any. */
  code?: number | null
  folder?(): string
  /** Another line that runs this one. */
  through?(line: string): string
  input?(): string
  before?(): Promise<unknown>
  after?(output: string): unknown
}

type Line = { under: string; example: number; text: string }

/** The lines of every example of a shell. */
export function linesOf(guide: string): Line[] {
  const [, ...sections] = `\n${guide}`.split(/^##+ /m)
  return sections.flatMap((section) => {
    const under = section.split('\n')[0] ?? ''
    const examples = section.matchAll(/^```sh\n(.*?)^```/gms)
    return [...examples].flatMap(([, text = ''], index) =>
      text
        .trim()
        .split('\n')
        .map((line) => ({ under, example: index + 1, text: line })),
    )
  })
}

/** @throws Error if a line fails, if an example's id has no value, or if a rule fits no line */
export async function walk(machine: Machine, guide: string, rules: readonly Rule[]): Promise<string[]> {
  const used = new Set<Rule>()
  const left: string[] = []
  for (const at of linesOf(guide)) {
    const { under, text } = at
    const rule = rules.find((each) => fits(each, at))
    if (rule) used.add(rule)
    if (rule?.not) {
      left.push(`${text}: ${rule.not}`)
      continue
    }
    await rule?.before?.()
    const own = filled(text, rule?.fill?.() ?? {})
    const line = rule?.through?.(own) ?? own
    const where = { folder: rule?.folder?.() ?? '/var/tmp', input: rule?.input?.() ?? '' }
    const { code, output } = await machine.run(line, where)
    const expected = rule?.code === undefined ? 0 : rule.code
    if (expected !== null && code !== expected)
      throw new Error(`"${line}" under "${under}" ended with ${code}:\n${output}`)
    await rule?.after?.(output)
  }
  const stale = rules.filter((rule) => !used.has(rule))
  if (stale.length > 0)
    throw new Error(`These rules fit no line: ${stale.map(({ line }) => line.source).join(', ')}`)
  return left
}

const fits = ({ line, under, example }: Rule, at: Line): boolean =>
  line.test(at.text) && (under ?? at.under) === at.under && (example ?? at.example) === at.example

function filled(text: string, values: Record<string, string>): string {
  const line = Object.entries(values).reduce((done, [name, value]) => done.replaceAll(name, value), text)
  if (/\b[a-z]{3}_\.\.\./.test(line)) throw new Error(`An id of "${text}" has no value.`)
  return line
}
