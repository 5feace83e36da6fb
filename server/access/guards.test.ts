/** Every act of both faces has a guard, and what needs a second person has a row that carries it out. */
import { expect, test } from 'vitest'
import { NOUNS } from '../admin/parser.ts'
import { SETTING_ACTS } from '../console/settings/acts.ts'
import { GUARDED } from '../operator/approvals/guarded.ts'
import { GUARDS, stakesOf } from './guards.ts'
import { ACTS } from './roles.ts'

const COMMANDS = NOUNS.flatMap((noun) =>
  noun.verbs.map(({ name, needs }) => ({ act: `${noun.name} ${name}`, needs })),
)

test('every command that changes something has a guard', () => {
  const changing = COMMANDS.filter(({ needs }) => needs !== 'viewer').map(({ act }) => act)
  expect(changing.filter((act) => !Object.hasOwn(GUARDS, act))).toEqual([])
})

test('every guard belongs to an act of the console or to a command', () => {
  const known = [...COMMANDS.map(({ act }) => act), ...Object.keys(ACTS)]
  expect(Object.keys(GUARDS).filter((act) => !known.includes(act))).toEqual([])
})

test('what needs a second person has a row, and no other act has one', () => {
  const needed = Object.entries(GUARDS)
    .filter(([act, { guard }]) => guard === 'person' && act !== 'callback address')
    .map(([act]) => act)
  // Proposals of earlier versions can still be granted.
  expect(Object.keys(GUARDED).sort()).toEqual([...needed, 'user remove'].sort())
})

test('every guard says why', () => {
  for (const [act, { why }] of Object.entries(GUARDS)) expect([act, why.endsWith('.')]).toEqual([act, true])
})

test('no setting of the console has a name that the guards do not know', () => {
  for (const { what, needs } of SETTING_ACTS) expect(Object.keys(GUARDS)).toContain(what ?? needs)
  expect([stakesOf('token revoke'), stakesOf('token issue'), stakesOf('payment refund')]).toEqual([
    null,
    'redirect',
    'money',
  ])
})
