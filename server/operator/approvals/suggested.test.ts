/** The set-up suggests limits. A person accepts or declines them: nothing is ever set by itself. */
import { afterEach, expect, test } from 'vitest'
import { addUser, getPerson, removeUser } from '../../access/users.ts'
import { listLimits } from '../../storage/audit/proposals.ts'
import { hiddenIn, openAs, startDesk, withPasskey } from '../../testing/console.ts'
import { openShop, startKassa } from '../../testing/harness.ts'
import { operateHere, operateJson } from '../../testing/operator.ts'
import { allowManual, openLive } from '../../testing/scene/live.ts'
import { closeAfter } from '../../testing/scene.ts'
import { examineWorld } from '../examination.ts'
import { doOrPropose } from './approvals.ts'
import { suggestLimits, suggestRefundLimits } from './suggested.ts'

const kassa = await openLive()
const desk = closeAfter(await startDesk(kassa.worlds))
const { merchantId } = await openShop(kassa.ctx)
await allowManual(kassa, merchantId)
const opened = await openAs(kassa.live, desk, {
  name: 'Root',
  role: 'administrator',
  email: 'root@pay.example',
})
const root = await withPasskey(kassa.live, desk, opened)
afterEach(async () => {
  await kassa.live.db.query('delete from kassa.approval_limits')
  await kassa.live.db.query('delete from kassa.declined_limits')
})

/** The second person who may approve. */
const addBoss = () => addUser(kassa.live, { name: 'Boss', role: 'operator', email: 'boss@pay.example' })
await addBoss()
const limits = () => listLimits(kassa.live.db)
const checklist = async () => (await root.get(`/live/shops/${merchantId}/live`)).text
const system = async () => (await root.get('/live/system')).text
const named = async (name: string) => (await getPerson(kassa.live, name)).user

test('while one person alone could approve, the reader is led to a second person and to no limit', async () => {
  await removeUser(kassa.live, 'Boss')
  expect(await suggestLimits(kassa.live)).toMatchObject({
    canSet: false,
    open: [{ currency: 'AMD' }, {}, {}],
  })
  for (const text of [await checklist(), await system()]) {
    expect(text).toContain('one person alone may return any sum')
    expect(text).toContain('Add a second person who may approve')
    expect(text).toContain('/live/users/new')
    expect(text).not.toContain('approval-limit?currency')
  }
  expect(await limits()).toEqual([])
  await addBoss()
})

test('with two people the checklist leads to a form with the suggested sum, which a person confirms', async () => {
  const text = await checklist()
  expect(text).toContain('$500')
  expect(text).toContain('Without a limit everything stays as it is')
  const path = '/live/settings/approval-limit'
  expect(text).toContain(`href="${path}?currency=USD"`)
  const form = await root.get(`${path}?currency=USD`)
  expect(form.text).toContain('value="500.00"')
  expect(await limits()).toEqual([])
  const given = { ...hiddenIn(form.text), currency: 'USD', limitMinor: '500.00' }
  const sure = await root.post(path, given)
  expect(await limits()).toEqual([])
  await root.post(path, { ...given, ...hiddenIn(sure.text) })
  expect(await limits()).toEqual([{ currency: 'USD', limitMinor: 50_000 }])
  expect(await checklist()).not.toContain('currency=USD')
  expect((await root.get(`${path}?currency=USD`)).text).not.toContain('value="500.00"')
})

test('a shop reads of no limits, and cannot set one', async () => {
  const opened = await openAs(kassa.live, desk, { role: 'shop', email: 'shop@shop.example', merchantId })
  expect((await opened.browser.get(`/live/shops/${merchantId}/live`)).text).not.toContain('any sum')
})

test('a limit that somebody has declined is not suggested again until one is set', async () => {
  const open = async () => (await suggestLimits(kassa.live)).open.map(({ currency }) => currency)
  const { operator } = await getPerson(kassa.live, 'Root')
  const set = (limitMinor: number | null) =>
    doOrPropose(kassa.live, operator, 'approval limit', { currency: 'AMD', limitMinor })
  expect(await open()).toEqual(['AMD', 'USD', 'EUR'])
  await set(null)
  const path = '/live/settings/approval-limit'
  const given = {
    ...hiddenIn((await root.get(path)).text),
    currency: 'USD',
    limitMinor: '',
    limitMinor_none: 'yes',
  }
  const sure = await root.post(path, given)
  await root.post(path, { ...given, ...hiddenIn(sure.text) })
  expect(await open()).toEqual(['EUR'])
  expect((await examineWorld(kassa.live)).limits?.open).toMatchObject([{ currency: 'EUR' }])
  expect(await checklist()).not.toContain('currency=USD')
  // Setting one ends it, and whoever removes the limit again has decided anew.
  await set(10_000)
  await kassa.live.db.query('delete from kassa.approval_limits')
  expect(await open()).toEqual(['AMD', 'EUR'])
})

test('the doctor suggests the next command, in the live world alone', async () => {
  expect((await examineWorld(kassa.ctx)).limits).toBeNull()
  expect((await examineWorld(kassa.live)).limits).toMatchObject({ canSet: true, open: [{}, {}, {}] })
  expect(await system()).toContain('/live/settings/approval-limit')
})

const add = async (name: string, more: Record<string, string>) => {
  const form = {
    name,
    email: `${name.toLowerCase()}@shop.example`,
    role: 'shop',
    shop: merchantId,
    limits: '',
    limitsDay: '',
  }
  return root.post('/live/users/new', { ...form, ...more })
}

test('whoever adds a person in the console accepts the suggested limit, writes another, or declines', async () => {
  const page = (await root.get('/live/users/new')).text
  expect(page).toMatch(/<option[^>]*value[^>]*>Choose</)
  expect(page).toContain('Suggested: 40000.00 AMD, 100.00 USD, 100.00 EUR')
  const undecided = await add('Undecided', { limitChoice: '' })
  expect([undecided.status, undecided.text.includes('Choose whether this person has a limit')]).toEqual([
    422,
    true,
  ])
  await add('Accepts', { limitChoice: 'suggested', limits: '7 USD' })
  await add('Writes', { limitChoice: 'own', limits: '7 USD' })
  await add('Declines', { limitChoice: 'none', limits: '7 USD' })
  expect((await named('Accepts'))?.refundLimits).toEqual(await suggestRefundLimits(kassa.live))
  expect((await named('Writes'))?.refundLimits).toEqual({ USD: 700 })
  expect((await named('Declines'))?.refundLimits).toBeNull()
})

test('user add suggests a limit and sets none; the printed command sets it', async () => {
  const own = await startKassa()
  const here = (...args: string[]) => operateHere(async () => own.ctx, args)
  const { stdout } = await here(
    'user',
    'add',
    '--name',
    'Ani',
    '--role',
    'administrator',
    '--email',
    'ani@pay.example',
  )
  expect((await getPerson(own.ctx, 'Ani')).user?.refundLimits).toBeNull()
  const [, printed = ''] = /(user set --user .*)$/m.exec(stdout) ?? []
  const words = [...printed.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  expect(await here(...words)).toMatchObject({ code: 0, stderr: '' })
  expect((await getPerson(own.ctx, 'Ani')).user?.refundLimits).toEqual(await suggestRefundLimits(own.ctx))
  const json = async (...args: string[]) =>
    (await operateJson({}, ['user', 'add', ...args], (_settings, given) => here(...given))).answer
  expect(await json('--name', 'Vera', '--role', 'viewer', '--email', 'vera@pay.example')).not.toHaveProperty(
    'suggested',
  )
  expect(
    await json(
      '--name',
      'Eva',
      '--role',
      'operator',
      '--email',
      'eva@pay.example',
      '--refund-limit',
      '5.00 USD',
    ),
  ).not.toHaveProperty('suggested')
  await removeUser(own.ctx, 'Vera')
  await own.close()
})
