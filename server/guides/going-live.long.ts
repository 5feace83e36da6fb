/** Follows the guide on going live from the first start on: the whole service, real HTTP, and every command that it names. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { call, clickWidget, createSession, lookUp, readPage, sessionRequest } from '../testing/calls.ts'
import { createEmptyDatabase, type TestDatabase } from '../testing/database.ts'
import { commandsOf, type ShellCommand } from '../testing/documents/shell-lines.ts'
import type { Shop } from '../testing/harness.ts'
import { type Operated, operate } from '../testing/operator.ts'
import { useOwnNames } from '../testing/own-names.ts'
import { carefulStatus, isSignedWith, type Receiver, startReceiver } from '../testing/receiver.ts'
import { type ServedHere, serveHere } from '../testing/serve-here.ts'

const GUIDE = fileURLToPath(new URL('./going-live.md', import.meta.url))
/** What the operator makes with openssl. */
const FIRST_KEY = Buffer.alloc(32, 1).toString('base64')
const NEXT_KEY = Buffer.alloc(32, 2).toString('base64')
const ADDRESS = 'https://pay.example'

/** The guide's commands that nobody has run yet, in their order. */
let open: ShellCommand[]
/** What the commands have printed, by the placeholder that stands for it in the guide. */
const known = new Map<string, string>()
let settings: Record<string, string>
let database: TestDatabase
let forgetNames: () => void
let service: ServedHere
let receivers: Record<'test' | 'live', Receiver>
const secrets: Record<'test' | 'live', string> = { test: '', live: '' }
const shops: Record<'test' | 'live', Shop> = { test: {} as Shop, live: {} as Shop }

beforeAll(async () => {
  const text = await readFile(GUIDE, 'utf8')
  open = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, code = '']) => commandsOf(code))
  const listen = (world: 'test' | 'live') =>
    startReceiver((_, delivery) => carefulStatus(delivery, [secrets[world]], new Date()))
  receivers = { test: await listen('test'), live: await listen('live') }
  database = await createEmptyDatabase(inject('postgresUrl'))
  // The shop's machines have names, because live mode sends nothing to loopback addresses by default.
  forgetNames = useOwnNames()
  settings = {
    DATABASE_URL: database.url,
    DATA_DIR: await mkdtemp(join(tmpdir(), 'kassa-live-')),
    // As npm start runs it: nothing else is set but where the shop's own machines are.
    MODE: '',
    SECRETS_KEY: '',
    RATE_LIMITS: '',
    SEED_DEMO: '',
    // The demo shop is on this machine.
    CALLBACK_ALLOW: `loopback,${shopHosts()}`,
  }
})
afterAll(async () => {
  await service.stop()
  forgetNames()
  for (const receiver of Object.values(receivers)) await receiver.close()
  await rm(settings.DATA_DIR ?? '', { recursive: true, force: true })
  await database.drop()
})

const shopHosts = () =>
  Object.values(receivers)
    .map(({ url }) => `hooks.shop.test:${new URL(url).port}`)
    .join()
const callbackOf = (world: 'test' | 'live') =>
  `http://hooks.shop.test:${new URL(receivers[world].url).port}/kassa`

/** The guide's words, with what this shop has in place of the examples. */
function filled(word: string): string {
  const url = /^https:\/\/shop\.example\/kassa\/(test|live)$/.exec(word)
  if (url) return callbackOf(url[1] as 'test' | 'live')
  return known.get(word) ?? word
}

/** Takes the next command of the guide that begins like this. */
function take(start: string): ShellCommand {
  const next = open.shift()
  const words = next?.words.join(' ') ?? ''
  if (!next || !words.replace('npm run -s admin -- ', '').startsWith(start))
    throw new Error(`The guide's next command is ${next?.text}, not ${start}`)
  return next
}

/** Runs the guide's next command as it stands there. */
async function follow(start: string) {
  const words = take(start).words.slice('npm run -s admin --'.split(' ').length)
  return run(...words.map(filled))
}

async function run(...args: string[]) {
  const { code, stdout, stderr } = await operate(settings, [...args, '--json'])
  expect([args.join(' '), code, stderr]).toEqual([args.join(' '), 0, ''])
  return JSON.parse(stdout)
}
const read = (...args: string[]): Promise<Operated> => operate(settings, args)

/** Returns whether a shop's payments can be created on this route. */
async function canPayOn(route: string, token: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` }
  const { body } = await call(`${service.url}/v1/capabilities`, { method: 'GET', headers })
  const provider = body.providers.find(({ id }: { id: string }) => id === route)
  return provider.readiness.enabledForPaymentCreation
}

const start = async () => {
  service = await serveHere({ ...settings, LOG_LEVEL: 'debug' })
}
/** The service is behind a proxy that ends TLS. */
const here = (address: string) => address.replace(ADDRESS, service.url)

async function payInSandbox(order: string): Promise<string> {
  const body = sessionRequest({ merchantOrderId: order })
  const { status, body: session } = await createSession(service.url, shops.test, { key: order, body })
  expect([status, session.livemode]).toEqual([201, false])
  const { url } = await fetch(here(session.providerCheckoutUrl))
  const outcome = new URLSearchParams({ outcome: 'paid' })
  const chosen = await fetch(url.split('?')[0] ?? '', { method: 'POST', body: outcome, redirect: 'manual' })
  await fetch(here(chosen.headers.get('location') ?? ''), { redirect: 'manual' })
  return session.id
}

/** The event that says that the payment is paid, as it came to this world's receiver. */
async function paidEvent(world: 'test' | 'live', paymentId: string) {
  const find = () =>
    receivers[world].received.find(
      ({ event }) => event.payment.id === paymentId && event.payment.status === 'paid',
    )
  await expect.poll(find).toBeDefined()
  return find()
}

describe('from the first start to real money on one deployment', () => {
  test('a shop is set up and tested in the sandbox', async () => {
    await start()
    const merchant = await follow('merchant create')
    known.set('mer_...', merchant.merchantId)
    secrets.test = merchant.webhookSecret
    const { token } = await follow('token issue')
    await follow('product set')
    const { publicKey } = await follow('installation create')
    shops.test = { ...shops.test, token, publicKey, merchantId: merchant.merchantId }
    expect([token, publicKey]).toEqual([
      expect.stringMatching(/^ksk_sandbox_/),
      expect.stringMatching(/^kpk_sandbox_/),
    ])
    const refused = await read('token', 'issue', '--merchant', merchant.merchantId, '--live')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/no live world[\s\S]*MODE=live/) })
  })

  test('the shop is reviewed and tested', async () => {
    const paymentId = await payInSandbox('test-order')
    expect(paymentId).toMatch(/^pay_test_/)
    expect((await paidEvent('test', paymentId))?.event.livemode).toBe(false)
    await follow('origin approve')
    expect(await follow('callback verify')).toMatchObject({ accepted: true })
    expect(await follow('merchant onboarding')).toMatchObject({
      complete: false,
      done: ['domain_reviewed', 'test_payment'],
      open: ['callback_verified'],
    })
  })

  test('the live world starts with a key of its own, and refuses what is dangerous', async () => {
    await service.stop()
    expect(take('openssl').words).toEqual(['openssl', 'rand', '-base64', '32'])
    const { settings: written } = take('npm start')
    expect(Object.fromEntries(written)).toMatchObject({ MODE: 'live', BASE_URL: ADDRESS })
    const before = settings
    const changed = { SECRETS_KEY: FIRST_KEY, CALLBACK_ALLOW: shopHosts() }
    settings = { ...before, ...Object.fromEntries(written), ...changed }

    const dangerous = { BASE_URL: 'http://pay.example', SECRETS_KEY: '', RATE_LIMITS: 'off', TRUST_PROXY: '' }
    const wrong = { ...settings, ...dangerous, CALLBACK_ALLOW: 'loopback', ROUTE_A_DRIVER: 'sandbox' }
    await expect(serveHere(wrong)).rejects.toThrow(
      /(?=[\s\S]*BASE_URL)(?=[\s\S]*SECRETS_KEY)(?=[\s\S]*RATE_LIMITS)(?=[\s\S]*TRUST_PROXY)(?=[\s\S]*CALLBACK_ALLOW)(?=[\s\S]*ROUTE_A_DRIVER)/,
    )
    await start()
    const { body: health } = await call(`${service.url}/api/health`, { method: 'GET' })
    expect(health).toMatchObject({ mode: 'live', ready: true })
    const withoutMode = { ...before, SECRETS_KEY: FIRST_KEY }
    await expect(serveHere(withoutMode)).rejects.toThrow(/has a live world, and MODE is not set/)
  })

  test('the shop moves to the live world with keys of its own', async () => {
    const set = await follow('callback set')
    expect(set).toMatchObject({ world: 'live', callbackUrl: callbackOf('live') })
    secrets.live = set.webhookSecret
    const early = await read('token', 'issue', '--merchant', shops.test.merchantId, '--live')
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('callback_verified') })
    expect(await follow('callback verify')).toMatchObject({ world: 'live', accepted: true })
    expect(await follow('merchant onboarding')).toMatchObject({ complete: true, open: [] })
    const copied = await follow('merchant copy')
    const [installation] = copied.installations
    expect([copied.products, installation.publicKey]).toEqual([1, expect.stringMatching(/^kpk_live_/)])
    const { token } = await follow('token issue')
    expect(token).toMatch(/^ksk_live_/)
    shops.live = { ...shops.test, token, publicKey: installation.publicKey }
    const { accounts } = await follow('account list')
    expect(accounts).toMatchObject([{ route: 'manual', owner: null, shared: false }])
    known.set('acc_...', accounts[0].accountId)
    const allowed = await follow('account allow')
    expect(allowed).toMatchObject({ route: 'manual', merchants: [shops.live.merchantId] })
    // The running service reads the accounts again within a second.
    await expect.poll(() => canPayOn('manual', token)).toBe(true)
  })

  test('a real payment is confirmed by hand, and its event says that the money is real', async () => {
    const body = sessionRequest({ merchantOrderId: 'order-1001' })
    const { status, body: session } = await createSession(service.url, shops.live, { key: 'real', body })
    expect([status, session]).toMatchObject([
      201,
      { livemode: true, provider: 'manual', id: expect.not.stringContaining('test') },
    ])
    const page = await readPage(here(session.checkoutUrl))
    expect(page.html).toContain('data-mode="live"')
    const clicked = await clickWidget(service.url, shops.live)
    expect([clicked.status, clicked.body.paymentId]).toEqual([201, expect.stringMatching(/^pay_(?!test_)/)])

    known.set('pay_...', session.id)
    const { payments } = await follow('payment list')
    expect(payments).toMatchObject([{ id: session.id, status: 'pending_redirect' }])
    expect(await follow('payment confirm')).toMatchObject({ world: 'live' })
    const sent = await paidEvent('live', session.id)
    expect(sent?.event).toMatchObject({ livemode: true, payment: { livemode: true, capturedMinor: 1900 } })
    expect(sent && [isSignedWith(sent, secrets.live), isSignedWith(sent, secrets.test)]).toEqual([
      true,
      false,
    ])
    expect((await follow('payment show')).payment).toMatchObject({ status: 'paid' })
  })

  test('the sandbox works beside it, and nothing of it reaches the live world', async () => {
    const paymentId = await payInSandbox('tested-beside')
    const sent = await paidEvent('test', paymentId)
    // The sandbox's secret is still sealed under the key that the first start made.
    expect(sent && [sent.event.livemode, isSignedWith(sent, secrets.test)]).toEqual([false, true])
    const { world, events } = await follow('event list')
    expect([world, events[0].paymentId]).toEqual(['sandbox', paymentId])
    // An id of the sandbox leads to the sandbox by itself, and what is printed names the world.
    const shown = await read('payment', 'show', '--payment', paymentId)
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('World: sandbox')])

    for (const name of ['sandbox', 'live'])
      expect(service.output()).toMatch(
        new RegExp(`"world":"${name}"[^\\n]*"endpoint":"/v1/payment-sessions","status":201`),
      )

    const real = known.get('pay_...') ?? ''
    expect((await lookUp(service.url, shops.test, real)).status).toBe(404)
    expect((await lookUp(service.url, shops.live, paymentId)).status).toBe(404)
    for (const path of ['/demo/', `/sandbox/bank/${real.slice('pay_'.length, 30)}`])
      expect([path, (await fetch(service.url + path)).status]).toEqual([path, 404])
    expect(await read('clock', 'advance', '--by', '1d', '--live')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('sandbox'),
    })
  })

  test('the key is replaced while the service runs, and then the old one is not needed', async () => {
    await service.stop()
    settings = { ...settings, SECRETS_KEY: `${NEXT_KEY},${FIRST_KEY}` }
    await start()
    expect(await follow('secrets rotate')).toMatchObject({ rotated: { sandbox: 2, live: 1 } })
    await service.stop()
    await rm(join(settings.DATA_DIR ?? '', 'secrets-key'))
    const wrong = { ...settings, SECRETS_KEY: FIRST_KEY }
    await expect(serveHere(wrong)).rejects.toThrow(/SECRETS_KEY does not open secrets in this database/)
    settings = { ...settings, SECRETS_KEY: NEXT_KEY }
    await start()
    const sent = await paidEvent('test', await payInSandbox('after-the-rotation'))
    expect(sent && isSignedWith(sent, secrets.test)).toBe(true)
    expect(open.map(({ text }) => text)).toEqual([])
  })
})
