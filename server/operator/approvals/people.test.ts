/** One administrator must not become two persons: a second one agrees to who may move money, and nobody but its owner gets a link. */
import { beforeEach, expect, test } from 'vitest'
import { consoleOrigin } from '../../access/address.ts'
import { findLink } from '../../access/set-up.ts'
import { addUser, changeUser, listEverybody, removeUser } from '../../access/users.ts'
import { identify, type Person } from '../../audit/people.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { openShop } from '../../testing/harness.ts'
import { operateJson } from '../../testing/operator.ts'
import { forgetPeople, grantAs } from '../../testing/scene/people.ts'
import { openKassa } from '../../testing/scene.ts'
import { getApproval } from './approval.ts'
import { doOrPropose } from './approvals.ts'
import type { Handover } from './stake.ts'

const kassa = await openKassa()
let ani: Person
let davit: Person
let gor: Person
const keys: Record<string, string> = {}
beforeEach(async () => {
  await forgetPeople(kassa.ctx)
  ani = await person('Ani', 'administrator')
  davit = await person('Davit', 'operator')
  gor = await person('Gor', 'administrator')
  await limit(50_000)
})

const limit = (minor: number | null) => storeLimit(kassa.ctx.db, 'USD', minor)
async function person(name: string, role: 'administrator' | 'operator'): Promise<Person> {
  const { operator, key } = await addUser(kassa.ctx, { name, role, email: `${name}@pay.example` })
  keys[name] = key ?? ''
  return operator
}
const grant = (by: Person, id: string) => grantAs(kassa.ctx, by, id)
type Outcome = { id: string; handover: Handover }
async function proposed(decided: Promise<unknown>): Promise<Outcome> {
  const { proposed: made, handover } = (await decided) as { proposed: { id: string }; handover: Handover }
  return { id: made.id, handover }
}
/** Whom a link is for. */
const opens = async (token: string) =>
  (await findLink(kassa.ctx, { token, address: `a${Math.random()}` }))?.user.name
const present = async (name: string) =>
  (await listEverybody(kassa.ctx)).find(({ operator }) => operator.name === name && !operator.removedAt)
const tokenOf = (link = '') => link.slice(`${consoleOrigin(kassa.ctx.config)}/link/`.length)

test('an administrator who resets a colleague sees half a link, and so does whoever grants it', async () => {
  const { link: old } = await changeUser(kassa.ctx, 'Davit', { ends: true })
  const { id, handover } = await proposed(doOrPropose(kassa.ctx, ani, 'user reset', { user: 'Davit' }))
  expect(await opens(tokenOf(old ?? ''))).toBe('Davit')
  await expect(grant(ani, id)).rejects.toThrow(/yourself/)
  const end = (await grant(gor, id)).halves.link ?? ''
  const start = tokenOf(handover.link ?? '')
  expect([start.length, end.length]).toEqual([21, 22])
  expect([await opens(start), await opens(end), await opens(tokenOf(old ?? ''))]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(await opens(start + end)).toBe('Davit')
})

test('whoever may propose or grant is added by two, and others by one', async () => {
  const { merchantId } = await openShop(kassa.ctx)
  for (const role of ['administrator', 'operator', 'shop'] as const) {
    const values = { name: `New ${role}`, role, email: `${role}@pay.example` }
    const all = { ...values, ...(role === 'shop' && { merchantId }) }
    const { id, handover } = await proposed(doOrPropose(kassa.ctx, ani, 'user add', all))
    expect([role, await present(values.name)]).toEqual([role, undefined])
    const made = (await grant(davit, id)).halves
    expect(await opens(tokenOf(handover.link ?? '') + made.link)).toBe(values.name)
    expect(handover.key === undefined).toBe(role === 'shop')
  }
  const till = { name: 'Till', role: 'cashier' as const, email: 'till@pay.example', merchantId }
  const decided = await doOrPropose(kassa.ctx, ani, 'user add', till)
  expect(await opens(tokenOf('done' in decided ? (decided.done.link ?? '') : ''))).toBe('Till')
  // A wrong value is said at once, not to whoever grants it.
  const twin = { name: 'Ani', role: 'operator' as const, email: 'twin@pay.example' }
  await expect(doOrPropose(kassa.ctx, gor, 'user add', twin)).rejects.toThrow(/already/)
})

test('a role is raised, and a key replaced, by two', async () => {
  const lena = await addUser(kassa.ctx, { name: 'Lena', role: 'viewer', email: 'lena@pay.example' })
  const raised = await proposed(doOrPropose(kassa.ctx, ani, 'user set', { user: 'Lena', role: 'operator' }))
  expect((await present('Lena'))?.operator.role).toBe('viewer')
  await grant(gor, raised.id)
  expect((await present('Lena'))?.operator.role).toBe('operator')
  const given = { user: lena.operator.id, isNewKey: true }
  const { id, handover } = await proposed(doOrPropose(kassa.ctx, ani, 'user set', given))
  const { key: end } = (await grant(gor, id)).halves
  const found = (key: string) =>
    identify(kassa.ctx.db, { user: 'root', readKey: async () => key }, { isRequired: true }).catch(() => null)
  expect([await found(handover.key ?? ''), await found(`kop_${end}`)]).toEqual([null, null])
  expect(await found(`${handover.key}${end}`)).toMatchObject({ name: 'Lena' })
  // What opens nothing, and one's own key, are done at once.
  expect(await doOrPropose(kassa.ctx, ani, 'user set', { user: 'Davit', refundLimits: null })).toHaveProperty(
    'done',
  )
  expect(await doOrPropose(kassa.ctx, ani, 'user set', { user: 'Ani', isNewKey: true })).toHaveProperty(
    'done',
  )
})

test('whoever was added by one person alone signs in anew once two have raised the role', async () => {
  const mole = { name: 'Mole', role: 'viewer' as const, email: 'mole@pay.example' }
  const added = await doOrPropose(kassa.ctx, ani, 'user add', mole)
  const old = 'done' in added ? added.done : null
  const { id, handover } = await proposed(
    doOrPropose(kassa.ctx, ani, 'user set', { user: 'Mole', role: 'operator' }),
  )
  expect((await getApproval(kassa.ctx, id)).facts.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['newLink', 'newKey']),
  )
  const ends = (await grant(gor, id)).halves
  const found = (key: string) =>
    identify(kassa.ctx.db, { user: 'root', readKey: async () => key }, { isRequired: true }).catch(() => null)
  expect([await opens(tokenOf(old?.link ?? '')), await found(old?.key ?? '')]).toEqual([undefined, null])
  expect(await opens(tokenOf(handover.link ?? '') + ends.link)).toBe('Mole')
  expect(await found(`${handover.key}${ends.key}`)).toMatchObject({ name: 'Mole', role: 'operator' })
})

test('what was proposed about a person who has changed since is not done', async () => {
  const { id } = await proposed(doOrPropose(kassa.ctx, ani, 'user reset', { user: 'Davit' }))
  await changeUser(kassa.ctx, 'Davit', { email: 'other@pay.example' })
  await expect(grant(gor, id)).rejects.toThrow(/changed since/)
})

test('two who may grant stay while a limit is set, one after the other or at once', async () => {
  const both = await Promise.allSettled(
    ['Davit', 'Gor'].map((user) => doOrPropose(kassa.ctx, ani, 'user remove', { user })),
  )
  const done = both.filter((each) => each.status === 'fulfilled' && 'done' in each.value)
  expect(done).toHaveLength(1)
  const left = (await present('Davit')) ? 'Davit' : 'Gor'
  for (const role of ['viewer', 'cashier'] as const)
    await expect(doOrPropose(kassa.ctx, ani, 'user set', { user: left, role })).rejects.toThrow()
  await expect(doOrPropose(kassa.ctx, ani, 'user remove', { user: left })).rejects.toMatchObject({
    details: { reason: 'last_two_deciders' },
  })
  expect((await present(left))?.operator.role).not.toBe('viewer')
})

test('where nobody else could grant, the second person is added alone, and nothing else is', async () => {
  await removeUser(kassa.ctx, 'Davit')
  // Only Gor could grant it, who is locked out.
  await expect(doOrPropose(kassa.ctx, ani, 'user reset', { user: 'Gor' })).rejects.toMatchObject({
    details: { reason: 'nobody_else' },
  })
  // Earlier versions let two people agree on leaving one alone.
  await limit(null)
  await removeUser(kassa.ctx, 'Gor')
  await limit(50_000)
  const { merchantId } = await openShop(kassa.ctx)
  const shop = { name: 'Shop', role: 'shop' as const, email: 'shop@pay.example', merchantId }
  await expect(doOrPropose(kassa.ctx, ani, 'user add', shop)).rejects.toMatchObject({
    details: { reason: 'nobody_else' },
  })
  const second = { name: 'Second', role: 'operator' as const, email: 'second@pay.example' }
  expect(await doOrPropose(kassa.ctx, ani, 'user add', second)).toHaveProperty('done')
  expect(
    await doOrPropose(kassa.ctx, ani, 'user add', { ...second, name: 'Third', email: 'third@pay.example' }),
  ).not.toHaveProperty('done')
})

test('without a limit one administrator is enough', async () => {
  await limit(null)
  expect(await doOrPropose(kassa.ctx, ani, 'user reset', { user: 'Davit' })).toHaveProperty('done')
  for (const user of ['Davit', 'Gor'])
    expect(await doOrPropose(kassa.ctx, ani, 'user remove', { user })).toHaveProperty('done')
})

test('the command line asks for two as well, and recover on the machine does not', async () => {
  const run = (name: string | null, ...args: string[]) =>
    operateJson({ DATABASE_URL: kassa.databaseUrl, ...(name && { KASSA_OPERATOR_KEY: keys[name] }) }, args)
  const { answer } = await run('Ani', 'user', 'reset', '--user', 'Davit')
  expect([answer.proposed, answer.link]).toEqual([true, undefined])
  const { approvalId } = answer.approval
  const granted = (await run('Gor', 'approval', 'grant', '--approval', approvalId)).answer
  expect(await opens(tokenOf(answer.linkStart) + granted.linkEnd)).toBe('Davit')
  expect((await run('Ani', 'user', 'add', '--name', 'Eve', '--role', 'operator')).answer).toMatchObject({
    proposed: true,
    keyStart: expect.stringMatching(/^kop_/),
  })
  expect((await run('Ani', 'user', 'set', '--user', 'Davit', '--new-key')).answer.proposed).toBe(true)
  expect(await present('Eve')).toBeUndefined()
  const recovered = (await run(null, 'user', 'recover', '--user', 'Davit')).answer
  expect(await opens(tokenOf(recovered.link))).toBe('Davit')
})
