/** Whoever's rights, address or sign-in somebody changes is told at the address as it was before, by every door. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAuthenticator } from '../testing/attacks/authenticator.ts'
import {
  addPhone,
  type Desk,
  hiddenIn,
  openAs,
  openBrowser,
  startDesk,
  type TestBrowser,
  withPasskey,
} from '../testing/console.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { type MailServer, partsOf, startMailServer } from '../testing/mail-server.ts'
import { operateHere } from '../testing/operator.ts'
import { openLive } from '../testing/scene/live.ts'
import { closeAfter } from '../testing/scene.ts'
import { startMails } from '../worker/mails.ts'
import { addUser, changeUser } from './users.ts'

const ROOT = 'root@pay.example'
const BOSS = 'boss@pay.example'
let server: MailServer
let kassa: Kassa
let desk: Desk
let shop: Shop
let root: TestBrowser
let rootId: string
beforeAll(async () => {
  server = await startMailServer()
  kassa = await startKassa({ settings: { SMTP_URL: server.url, MAIL_FROM: 'pay@pay.example' } })
  desk = await startDesk(kassa.worlds)
  shop = await openShop(kassa.ctx)
  const opened = await openAs(kassa.ctx, desk, { name: 'Root', role: 'administrator', email: ROOT })
  rootId = opened.id
  root = await withPasskey(kassa.ctx, desk, opened)
})
afterAll(async () => {
  await desk.close()
  await kassa.close()
  await server.close()
})

type Notice = { to: string; change: string; name?: string }
/** Which mails `act` has stored. */
async function noticesBy(act: () => Promise<unknown>): Promise<Notice[]> {
  const read = async () =>
    (
      await kassa.ctx.db.query<{ id: string; notice: Notice }>(
        `select id, notice from sandbox.mails where kind = 'address_changed' order by id`,
      )
    ).rows
  const known = new Set((await read()).map(({ id }) => id))
  await act()
  const stored = (await read()).filter(({ id }) => !known.has(id))
  return stored.map(({ notice: { to, change, name } }) => ({ to, change, ...(name && { name }) }))
}
const changesBy = async (act: () => Promise<unknown>) =>
  (await noticesBy(act)).map(({ to, change }) => `${change} ${to}`).sort()

async function run(...args: string[]): Promise<void> {
  const { code, stderr } = await operateHere(async () => kassa.ctx, args)
  expect([args.join(' '), stderr, code]).toEqual([args.join(' '), '', 0])
}
async function send(path: string, changes: Record<string, string> = {}) {
  const { status, text } = await root.post(path, { ...hiddenIn((await root.get(path)).text), ...changes })
  expect([path, status < 400, text.includes('class="alert"')]).toEqual([path, true, false])
}
let people = 0
/** Somebody of a shop, with a name and an address of their own. */
async function somebody(role: 'shop' | 'viewer' | 'operator' = 'shop') {
  const name = `Person${++people}`
  const merchantId = role === 'shop' ? shop.merchantId : null
  const email = `${name.toLowerCase()}@shop.example`
  const { operator, link } = await addUser(kassa.ctx, { name, role, email, merchantId })
  return { name, email, link, path: `/sandbox/users/${operator.id}`, id: operator.id }
}

test('an administrator who changes everything of a person is told on in the console and by command', async () => {
  const changes = ['email', 'refund_limit', 'role']
  const [one, two] = [await somebody(), await somebody()]
  const form = { email: 'thief1@bad.example', role: 'cashier', shop: shop.merchantId, limits: '900 USD' }
  expect(await changesBy(() => send(one.path, form))).toEqual(changes.map((each) => `${each} ${one.email}`))
  const args = ['--role', 'cashier', '--refund-limit', '900 USD', '--email', 'thief2@bad.example']
  expect(await changesBy(() => run('user', 'set', '--user', two.name, ...args))).toEqual(
    changes.map((each) => `${each} ${two.email}`),
  )
  const { merchantId } = await openShop(kassa.ctx)
  expect(await changesBy(() => run('user', 'set', '--user', two.name, '--merchant', merchantId))).toEqual([
    'shop thief2@bad.example',
  ])
})

test('what changes nothing is told to nobody', async () => {
  const { name, path, email } = await somebody()
  expect(
    await noticesBy(() => send(path, { email, role: 'shop', shop: shop.merchantId, limits: '' })),
  ).toEqual([])
  expect(await noticesBy(() => run('user', 'set', '--user', name, '--role', 'shop'))).toEqual([])
})

test('a reset, a recovery, a new key and a removal are told', async () => {
  const { name, email, path } = await somebody()
  expect(await changesBy(() => send(`${path}/reset`))).toEqual([`sign_in_ended ${email}`])
  expect(await changesBy(() => run('user', 'reset', '--user', name))).toEqual([`sign_in_ended ${email}`])
  const other = await somebody('viewer')
  expect(await changesBy(() => run('user', 'set', '--user', other.name, '--new-key'))).toEqual([
    `key ${other.email}`,
  ])
  expect(await changesBy(() => run('user', 'recover', '--user', other.name))).toEqual([
    `key ${other.email}`,
    `sign_in_ended ${other.email}`,
  ])
  expect(await changesBy(() => send(`${path}/remove`))).toEqual([`removed ${email}`])
  expect(await changesBy(() => run('user', 'remove', '--user', other.name))).toEqual([
    `removed ${other.email}`,
  ])
})

test('whoever may approve is told of one more who may, and of another limit', async () => {
  const added = await noticesBy(() =>
    run('user', 'add', '--name', 'Boss', '--role', 'operator', '--email', BOSS),
  )
  expect(added).toEqual([{ to: ROOT, change: 'person_added', name: 'Boss' }])
  const viewer = await somebody('viewer')
  expect(await changesBy(() => run('user', 'set', '--user', viewer.name, '--role', 'operator'))).toEqual([
    `person_added ${BOSS}`,
    `person_added ${ROOT}`,
    `role ${viewer.email}`,
  ])
  const both = [`approval_limit ${BOSS}`, `approval_limit ${viewer.email}`, `approval_limit ${ROOT}`].sort()
  const limit = ['approval', 'limit', '--currency', 'USD', '--amount', '500.00']
  expect(await changesBy(() => run(...limit))).toEqual(both)
  expect(await changesBy(() => run(...limit))).toEqual([])
  const path = '/sandbox/settings/approval-limit'
  const lower = async () => {
    const form = { ...hiddenIn((await root.get(path)).text), currency: 'USD', limitMinor: '400' }
    const sure = await root.post(path, form)
    expect((await root.post(path, { ...form, ...hiddenIn(sure.text) })).status).toBe(303)
  }
  expect(await changesBy(lower)).toEqual(both)
  await kassa.ctx.db.query('delete from kassa.approval_limits')
})

test('a passkey, recovery codes and a used link are told', async () => {
  const person = await somebody()
  const link = new URL(person.link ?? '').pathname
  const browser = openBrowser(desk)
  const phone = createAuthenticator()
  const setUp = async () => {
    const { challenge } = JSON.parse((await browser.post(`${link}/passkey/options`, {})).text)
    await browser.postJson(`${link}/passkey`, phone.create({ challenge, origin: desk.origin }))
  }
  expect(await changesBy(setUp)).toEqual([`sign_in_set_up ${person.email}`])
  const page = '/sandbox/my-sign-in'
  const second = createAuthenticator()
  const add = async () => {
    await root.post(`${page}/add`, {})
    const { challenge } = JSON.parse((await root.post(`${page}/passkey/options`, {})).text)
    await root.postJson(`${page}/passkey`, second.create({ challenge, origin: desk.origin }))
  }
  expect(await changesBy(add)).toEqual([`passkey_added ${ROOT}`])
  const third = await addPhone(kassa.ctx, desk, rootId)
  expect(await changesBy(() => send(`${page}/remove?passkey=${third.id}`, { passkey: third.id }))).toEqual([
    `passkey_removed ${ROOT}`,
  ])
})

test('the mails arrive, in words without a secret, and not as tests', async () => {
  const waiting = async () =>
    (await kassa.ctx.db.query(`select from sandbox.mails where state = 'waiting'`)).rows.length
  const mails = startMails(kassa.ctx)
  while ((await waiting()) > 0) {
    await mails.turn()
    await mails.settle()
  }
  await mails.stop()
  const texts = server.arrived
    .map((each) => partsOf(each).text)
    .filter((text) => !text.includes('limit for the'))
  expect(texts.join('\n')).toContain('Boss was added')
  expect(texts.join('\n')).not.toMatch(/Test mode|thief2@|\/link\/|kop_|\{name\}/)
})

test('beside a live world a person is told whichever world the page or the command names', async () => {
  const both = await openLive({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'pay@pay.example' })
  const own = closeAfter(await startDesk(both.worlds))
  const opened = await openAs(both.live, own, { name: 'Root', role: 'administrator', email: ROOT })
  const browser = await withPasskey(both.live, own, opened)
  const changes = async () =>
    (
      await both.live.db.query<{ change: string }>(
        `select notice->>'change' as change from live.mails where notice->>'to' = 'vera@pay.example' order by 1`,
      )
    ).rows.map(({ change }) => change)
  const { operator } = await addUser(both.live, { name: 'Vera', role: 'viewer', email: 'vera@pay.example' })
  const path = `/sandbox/users/${operator.id}`
  await browser.post(`${path}/reset`, hiddenIn((await browser.get(`${path}/reset`)).text))
  expect(await changes()).toEqual(['sign_in_ended'])
  const { key } = await changeUser(both.live, 'Root', { isNewKey: true })
  const args = ['user', 'set', '--user', 'Vera', '--role', 'operator', '--sandbox']
  const { code } = await operateHere(async () => both.worlds, args, { key: key ?? '' })
  expect([code, await changes()]).toEqual([0, ['role', 'sign_in_ended']])
})
