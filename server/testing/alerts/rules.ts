/** Reads the alert rules, and makes a copy of them that fires sooner. A rule in another form than the others is an error. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const RULES_FILE = fileURLToPath(new URL('../../deploy/alerts.yml', import.meta.url))

export type Rule = {
  alert: string
  expr: string
  /** In seconds. 0 if it fires at once. */
  forSeconds: number
  severity: string
  summary: string
  /** The next command for the person who gets the alert. */
  next: string
  sheet: string
}

const RULE = new RegExp(
  [
    /(?<alert>Kassa\w+)\n/,
    / {8}expr: (?<expr>\S.*)\n/,
    /(?: {8}for: (?<wait>\d+[smh])\n)?/,
    / {8}labels: \{ severity: (?<severity>page|ticket|'.+') \}\n/,
    / {8}annotations:\n/,
    / {10}summary: "(?<summary>.+)"\n/,
    / {10}next: "(?<next>.+)"\n/,
    / {10}sheet: (?<sheet>\S+)\n\n?/,
  ]
    .map(({ source }) => source)
    .join(''),
)

export function readRules(): Rule[] {
  const [head = '', ...blocks] = readFileSync(RULES_FILE, 'utf8').split(/^ {6}- alert: /m)
  if (!/\ngroups:\n {2}- name: kassa\n {4}rules:\n$/.test(head))
    throw new Error(`The rules have another head:\n${head}`)
  return blocks.map((block) => {
    const found = new RegExp(`^${RULE.source}$`).exec(block)?.groups
    if (!found) throw new Error(`This rule has another form than the others:\n${block}`)
    const { wait, ...rest } = found
    return { ...(rest as Omit<Rule, 'forSeconds'>), forSeconds: wait ? secondsOf(wait) : 0 }
  })
}

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600 }

function secondsOf(text: string): number {
  return Number(text.slice(0, -1)) * (SECONDS[text.slice(-1)] ?? Number.NaN)
}

/**
 * Returns the rules as a file for Prometheus, with every waiting time and every window divided by `factor`. Every JSON text is YAML
 * as well.
 */
export function shortenRules(rules: readonly Rule[], factor: number): string {
  const shorter = (seconds: number) => `${Math.round((seconds * 1000) / factor)}ms`
  return JSON.stringify({
    groups: [
      {
        name: 'kassa',
        rules: rules.map(({ alert, expr, forSeconds }) => ({
          alert,
          expr: expr.replaceAll(/\[(\d+[smh])\]/g, (_, window: string) => `[${shorter(secondsOf(window))}]`),
          for: shorter(forSeconds),
        })),
      },
    ],
  })
}
