/** The tables of the guide have the assumptions of the drivers, and nothing else. WRITE_GUIDE=1 writes them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { DRIVERS } from '../providers/registry.ts'

const GUIDE = fileURLToPath(new URL('./proving-an-account.md', import.meta.url))
const NAMES = { stripe: 'Stripe', paypal: 'PayPal', rbs: 'RBS gateways', ameria: 'Ameriabank' }

function tableOf(name: string): string {
  const rows = (DRIVERS[name]?.proof?.assumptions ?? []).map(
    ({ sentence, how, page, readOn }) =>
      `| ${sentence} | ${how} | ${readOn ?? 'not found'} ([page](${page})) |`,
  )
  return [
    '| Assumption | Seen when | When it was found in an official document, and the page |',
    '|---|---|---|',
    ...rows,
  ].join('\n')
}

/** Returns the table of the section, without what stands after it. */
function sectionOf(guide: string, label: string): string {
  const section = guide.split(`## What the driver of ${label} assumes\n\n`)[1] ?? ''
  return section.split('\n\n')[0] ?? ''
}

test.each(Object.entries(NAMES))('%s: the table of the guide is that of the driver', (name, label) => {
  const guide = readFileSync(GUIDE, 'utf8')
  const wanted = tableOf(name)
  expect(wanted.split('\n').length).toBeGreaterThan(11)
  if (process.env.WRITE_GUIDE) writeFileSync(GUIDE, guide.replace(sectionOf(guide, label), wanted))
  else expect(sectionOf(guide, label)).toBe(wanted)
})

test('every assumption is a sentence with an https page and a day, under an id of its own', () => {
  const all = Object.values(DRIVERS).flatMap(({ proof }) => proof?.assumptions ?? [])
  for (const { id, sentence, page, readOn, how } of all) {
    expect(id).toMatch(/^[a-z][a-z0-9_]+$/)
    expect(sentence).toMatch(/^[A-Z].*\.$/)
    expect(page).toMatch(
      /^https:\/\/(docs\.stripe\.com|developer\.paypal\.com|dev\.bpcbt\.com|servicestest\.ameriabank\.am)\//,
    )
    if (readOn !== null) expect(readOn).toMatch(/^\d{4}-\d\d-\d\d(, in .+)?$/)
    expect(how.length).toBeGreaterThan(5)
  }
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
})
