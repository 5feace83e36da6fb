import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { clickWidget, payAtBank } from '../testing/calls.ts'
import { argv } from '../testing/command-line.ts'
import { openShop, type Shop } from '../testing/harness.ts'
import { operateHere, operateJson } from '../testing/operator.ts'
import { startReceiver } from '../testing/receiver.ts'
import { closeAfter, openKassa } from '../testing/scene.ts'

const ORIGIN = 'https://tea.example'

const kassa = await openKassa({ worker: true })
const receiver = closeAfter(await startReceiver())
const settings = { DATABASE_URL: kassa.databaseUrl }

/** Runs a command as its own process, expects success, and returns the JSON. */
async function run(...args: string[]) {
  const { code, answer } = await operateJson(settings, args)
  expect(answer).toMatchObject({ ok: true })
  expect(code).toBe(0)
  return answer
}

/** Runs a command in this process and returns its output. */
function read(...args: string[]) {
  return operateHere(async () => kassa.ctx, args)
}

/** Runs a command in this process and returns the JSON. Tests use it for their setup. */
async function prepare(...args: string[]) {
  return JSON.parse((await read(...args, '--json')).stdout)
}

/** Sets up a shop with commands only. */
async function openShopByHand(): Promise<Shop> {
  const { merchantId, webhookSecret } = await run('merchant', 'create', '--name', 'Tea house')
  const of = ['--merchant', merchantId]
  const [{ token }, installation] = await Promise.all([
    run('token', 'issue', ...of),
    run('installation', 'create', ...of, '--origin', ORIGIN, '--return-url', `${ORIGIN}/thanks`),
    run('callback', 'set', ...of, '--url', receiver.url),
    run(...argv`product set ${of} --id tea --name Tea --amount 15.00 --currency USD`),
  ])
  const { publicKey, installationId } = installation
  return { merchantId, webhookSecret, token, publicKey, installationId }
}

test('a shop that commands have set up sells, is paid and gets its event, and `payment show` shows all of it', async () => {
  const shop = await openShopByHand()
  const click = await clickWidget(kassa.url, shop, { origin: ORIGIN })
  expect(click).toMatchObject({ status: 201, body: { amountMinor: 1500, currency: 'USD' } })
  const { paymentId } = click.body

  const before = await run('payment', 'show', '--payment', paymentId)
  expect(before.payment).toMatchObject({
    id: paymentId,
    status: 'pending_redirect',
    merchantName: 'Tea house',
  })
  expect(before.why).toContain('has reported no money yet')
  await payAtBank(before.payment.providerCheckoutUrl, 'paid')
  const [delivery] = await receiver.until(1)
  const [time = '', digest] = String(delivery?.headers['x-service-signature']).split(',v1=')
  const expected = createHmac('sha256', shop.webhookSecret).update(`${time.slice(2)}.${delivery?.body}`)
  expect(digest).toBe(expected.digest('hex'))

  await expect
    .poll(async () => (await prepare('payment', 'show', '--payment', paymentId)).events[0]?.state)
    .toBe('delivered')
  const after = await run('payment', 'show', '--payment', paymentId)
  expect(after.why).toBe('It is paid.')
  expect(after.payment).toMatchObject({ status: 'paid', capturedMinor: 1500 })
  expect(after.timeline).toMatchObject([
    { version: 1, from: 'created', to: 'pending_redirect', cause: 'request' },
    { version: 2, from: 'pending_redirect', to: 'paid', cause: 'provider' },
  ])
  expect(after.events).toMatchObject([
    { status: 'paid', attempts: 1, deliveries: [{ attempt: 1, url: receiver.url, statusCode: 200 }] },
  ])
  const text = await read('payment', 'show', '--payment', paymentId)
  expect(text.stdout).toMatch(/Amount +15\.00 USD/)
  expect(text.stdout).toContain('answered 200')
})

test('the callback URL is shown as it was set, and a private address is rejected', async () => {
  const { merchantId } = await prepare('merchant', 'create', '--name', 'Quiet')
  const of = ['--merchant', merchantId]
  expect((await prepare('callback', 'show', ...of)).callbackUrl).toBeNull()
  await run('callback', 'set', ...of, '--url', 'https://quiet.example/events')
  const inside = await prepare('callback', 'set', ...of, '--url', 'https://10.0.0.1/')
  expect(inside).toMatchObject({ ok: false, error: { message: expect.stringContaining('public') } })
  expect((await run('callback', 'show', ...of)).callbackUrl).toBe('https://quiet.example/events')
  expect(await run('merchant', 'show', ...of)).toMatchObject({
    merchantId,
    name: 'Quiet',
    callbackUrl: 'https://quiet.example/events',
    tokens: [],
  })
})

test('commands that list or show never print a token or a callback secret', async () => {
  const shop = await openShop(kassa.ctx)
  const of = ['--merchant', shop.merchantId]
  const commands = [
    ['merchant', 'list'],
    ['merchant', 'show', ...of],
    ['token', 'list', ...of],
    ['callback', 'show', ...of],
    ['product', 'list', ...of],
    ['installation', 'show', '--installation', shop.installationId],
    ['payment', 'list', ...of],
    ['route', 'list'],
  ]
  const output = await Promise.all(commands.flatMap((args) => [read(...args), read(...args, '--json')]))
  for (const { code, stdout, stderr } of output) {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toMatch(/whsec_|ksk_/)
  }
})
