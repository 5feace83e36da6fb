/** Every act of both faces has a policy, and what needs a second person has a row that carries it out. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { isReading } from '../admin/command.ts'
import { NOUNS } from '../admin/parser.ts'
import { CONSOLE_PAGES } from '../console/pages.ts'
import { SETTING_ACTS } from '../console/settings/acts.ts'
import { GUARDED } from '../operator/approvals/guarded.ts'
import { GUIDE, withPolicies } from '../testing/acts/policies.ts'
import { LIST_ROWS } from './lists/all.ts'
import { POLICY } from './policies.ts'
import { type Act, keyRoleFor, may, mayPropose, stakesOf } from './policy.ts'
import { ACT_ROWS } from './table.ts'
import { ACTS_WITHOUT_ROW } from './without-row.ts'

const COMMANDS = NOUNS.flatMap((noun) =>
  noun.verbs.map((verb) => ({ ...verb, act: `${noun.name} ${verb.name}` })),
)
const isAct = (name: string): name is Act => Object.hasOwn(POLICY, name)

test('every command that changes something is in the table', () => {
  const changing = COMMANDS.filter((command) => !isReading(command)).map(({ act }) => act)
  expect(changing.filter((act) => !isAct(act))).toEqual([])
})

test('a command needs the key of exactly those roles that may do the same act in the console', () => {
  const both = COMMANDS.flatMap(({ act, needs }) => (isAct(act) ? [{ act, needs }] : []))
  expect(both.length).toBeGreaterThan(80)
  expect(both.filter(({ act, needs }) => needs !== keyRoleFor(act))).toEqual([])
})

test('every act of the table is a command, or a page asks for it', () => {
  const known: readonly string[] = [
    ...COMMANDS.map(({ act }) => act),
    ...CONSOLE_PAGES.map(({ needs }) => needs),
  ]
  // The form of the shop's brand asks for another public name.
  expect(Object.keys(POLICY).filter((act) => !known.includes(act))).toEqual(['name ask'])
})

test('every act is made from a row or a list, or has a reason why not', () => {
  const rows = ACT_ROWS.filter(({ form }) => form === undefined).map(({ name }): string => name)
  const made = [...rows, ...LIST_ROWS.flatMap(({ name, needs }) => [name, needs])]
  const changing = COMMANDS.filter((command) => !isReading(command)).map(({ act }) => act)
  const withoutRow = [...Object.keys(POLICY), ...changing].filter((act) => !made.includes(act))
  expect(Object.keys(ACTS_WITHOUT_ROW).sort()).toEqual([...new Set(withoutRow)].sort())
})

test('what needs a second person has a row, and no other act has one', () => {
  const needed = Object.entries(POLICY)
    .filter(([, { guard }]) => guard === 'person')
    .map(([act]) => act)
  // Proposals of earlier versions can still be granted.
  expect(Object.keys(GUARDED).sort()).toEqual([...needed, 'user remove'].sort())
})

test('a row says what is at stake if the table guards it with a second person, and only then', () => {
  const staked = ACT_ROWS.map(({ name, secondPerson }) => [name, secondPerson !== undefined])
  expect(staked).toEqual(ACT_ROWS.map(({ name }) => [name, POLICY[name].guard === 'person']))
})

test('the guide has the table as it is', async () => {
  // If this fails: npm run generate -- acts
  expect(await readFile(GUIDE, 'utf8')).toBe(await withPolicies())
})

test('every row says why', () => {
  for (const [act, { why }] of Object.entries(POLICY)) expect([act, why.endsWith('.')]).toEqual([act, true])
})

test('an act that is not in the table belongs to nobody', () => {
  expect(mayPropose({ role: 'administrator' }, 'payment invent')).toBe(false)
  expect(may({ role: 'administrator' }, 'restore confirm')).toBe(false)
})

test('no setting of the console has a name that the table does not know', () => {
  for (const { what, needs } of SETTING_ACTS) expect(Object.keys(POLICY)).toContain(what ?? needs)
  expect([stakesOf('token revoke'), stakesOf('token issue'), stakesOf('payment refund')]).toEqual([
    null,
    'redirect',
    'money',
  ])
})
