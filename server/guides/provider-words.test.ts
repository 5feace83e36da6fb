/** The numbers of the guide are those of the drivers' tables. WRITE_GUIDE=1 writes them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { PAYMENT_STATES } from '../providers/ameria/snapshot.ts'
import { ACTION_CODES } from '../providers/arca/actions.ts'
import { ORDER_WORDS } from '../providers/arca/snapshot.ts'
import { PROCESSOR_WORDS } from '../providers/paypal/decline.ts'
import { ISSUE_WORDS } from '../providers/paypal/issues.ts'
import * as paypal from '../providers/paypal/words.ts'
import { DECLINE_CODES } from '../providers/stripe/declines.ts'
import * as stripe from '../providers/stripe/words.ts'

const GUIDE = fileURLToPath(new URL('./provider-words.md', import.meta.url))
const TABLES: Record<string, Record<string, object>> = {
  Stripe: { ...stripe, DECLINE_CODES },
  PayPal: { ...paypal, PROCESSOR_WORDS, ISSUE_WORDS },
  RBS: { ORDER_WORDS, ACTION_CODES },
  Ameria: { PAYMENT_STATES },
}
const ROW = /^\| (Stripe|PayPal|RBS|Ameria) \| ([^|]+) \| (\w+) \| \d+ \|/gm

test('each table of a driver has its row, with the number of its words', () => {
  const guide = readFileSync(GUIDE, 'utf8')
  const named = [...guide.matchAll(ROW)].map(([, provider, , table]) => `${provider} ${table}`)
  const all = Object.entries(TABLES).flatMap(([provider, tables]) =>
    Object.keys(tables).map((table) => `${provider} ${table}`),
  )
  expect(named.toSorted()).toEqual(all.toSorted())
  const wanted = guide.replaceAll(ROW, (_, provider: string, what: string, table: string) => {
    const known = Object.keys(TABLES[provider]?.[table] ?? {}).length
    return `| ${provider} | ${what} | ${table} | ${known} |`
  })
  if (process.env.WRITE_GUIDE) writeFileSync(GUIDE, wanted)
  else expect(guide).toBe(wanted)
})
