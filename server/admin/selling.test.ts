import { expect, test } from 'vitest'
import { clickWidget } from '../testing/calls.ts'
import { expectWithin } from '../testing/expect-within.ts'
import { SHOP_ORIGIN } from '../testing/harness.ts'
import { operate, operateHere, operateJson } from '../testing/operator.ts'
import { openScene } from '../testing/scene.ts'

const { kassa, shop } = await openScene()
const settings = { DATABASE_URL: kassa.databaseUrl }
const of = ['--merchant', shop.merchantId]

/** Runs a command in this process. */
function read(...args: string[]) {
  return operateHere(async () => kassa.ctx, args)
}

let clicks = 0
function click(changes: { origin?: string; productId?: string; publicKey?: string } = {}) {
  const { origin = SHOP_ORIGIN, ...body } = changes
  return clickWidget(kassa.url, shop, { origin, body: { clientReference: `buyer-${++clicks}`, ...body } })
}

test('a new price applies to new payments within a second', async () => {
  expect((await click()).body.amountMinor).toBe(1900)
  const price = ['--name', 'Tea', '--amount', '21.5', '--currency', 'EUR']
  const { answer } = await operateJson(settings, ['product', 'set', ...of, '--id', 'tea', ...price])
  expect(answer).toMatchObject({
    ok: true,
    product: {
      id: 'tea',
      amountMinor: 2150,
      amount: '21.50',
      price: '21.50 EUR',
      currency: 'EUR',
      route: null,
    },
  })
  await expectWithin(1_000, async () => (await click()).body.amountMinor, 2150)
})

test('a product keeps what a change does not name, and two changes at once both stay', async () => {
  const price = ['--name', 'Cup', '--amount', '15.00', '--currency', 'USD']
  const set = async (...more: string[]) => {
    const { stdout } = await read('product', 'set', ...of, '--id', 'kept', ...price, ...more, '--json')
    return JSON.parse(stdout).product
  }
  expect((await set('--route', 'route_b')).route).toBe('route_b')
  await Promise.all([set('--name-ru', 'Чашка'), set('--description', 'Blue clay')])
  expect(await set()).toMatchObject({
    route: 'route_b',
    names: { ru: 'Чашка' },
    description: 'Blue clay',
  })
  expect((await set('--remove', 'route')).route).toBeNull()
  await read('product', 'remove', ...of, '--id', 'kept')
})

test('a product is sold on its own route, and cannot be bought after its removal', async () => {
  const mug = [
    '--id',
    'mug',
    '--name',
    'Mug',
    '--amount',
    '1900.50',
    '--currency',
    'AMD',
    '--route',
    'route_b',
  ]
  await operateJson(settings, ['product', 'set', ...of, ...mug])
  const sold = await click({ productId: 'mug' })
  expect(sold).toMatchObject({ status: 201, body: { amountMinor: 190_050, currency: 'AMD' } })
  const { answer } = await operateJson(settings, ['payment', 'list', ...of, '--limit', '1'])
  expect(answer.payments).toMatchObject([{ id: sold.body.paymentId, provider: 'route_b' }])

  const listed = await read('product', 'list', ...of)
  expect(listed.stdout).toMatch(/mug +Mug +1 900\.50 AMD +route_b/)
  expect((await operate(settings, ['product', 'remove', ...of, '--id', 'mug'])).code).toBe(0)
  await expectWithin(1_000, async () => (await click({ productId: 'mug' })).status, 422)
  const left = await operateJson(settings, ['product', 'list', ...of])
  expect(left.answer.products.map(({ id }: { id: string }) => id)).toEqual(['cup', 'tea'])
})

test('each command names the next step, and a new price warns about prices that are written in pages', async () => {
  const { merchantId } = JSON.parse((await read('merchant', 'create', '--name', 'Steps', '--json')).stdout)
  const mine = ['--merchant', merchantId]
  const tea = ['product', 'set', ...mine, '--id', 'tea', '--name', 'Tea', '--currency', 'EUR', '--amount']
  expect((await read(...tea, '2')).stdout).toContain(`installation create --merchant ${merchantId}`)
  const make = ['installation', 'create', ...mine, '--origin', SHOP_ORIGIN]
  const made = await read(...make)
  const [page = ''] = /\S+\/install\/kpk_\S+/.exec(made.stdout) ?? []
  expect((await fetch(page)).status).toBe(200)
  expect(made.stdout).toMatch(/\/pay\/kpk_\S+\/PRODUCT/)
  expect((await read('merchant', 'show', ...mine)).stdout).toContain(page)
  expect((await read('installation', 'list', ...mine)).stdout).toContain(page.split('/').at(-1))
  const same = await read(...tea, '2')
  expect(same.stdout).toContain(`${page}?product=tea`)
  expect(same.stdout).not.toContain('only text')
  expect((await read(...tea, '3')).stdout).toContain('only text')
})

test('a route that is not ready is accepted with a warning that names the missing settings', async () => {
  const cup = ['product', 'set', ...of, '--id', 'mug', '--name', 'Mug', '--amount', '5', '--currency', 'USD']
  const make = ['installation', 'create', ...of, '--origin', SHOP_ORIGIN]
  for (const words of [cup, make]) {
    const { code, stdout } = await read(...words, '--route', 'route_e')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/route_e is not ready.*Set ROUTE_E_DRIVER/)])
    expect((await read(...words, '--route', 'route_b')).stdout).not.toContain('not ready')
  }
  await read('product', 'remove', ...of, '--id', 'mug')
})

test('a price that is not an exact amount is rejected with advice', async () => {
  const wrong = ['product', 'set', ...of, '--id', 'tea', '--name', 'Tea', '--currency', 'USD', '--amount']
  const output = await Promise.all(['1e3', '10.005', '-1', '0'].map((text) => read(...wrong, text)))
  for (const { code, stdout, stderr } of output) {
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/plain digits|decimals|more than zero|without a minus/)
  }
})

test('a public key works only on its own origins, and nowhere after its revocation', async () => {
  const origins = ['--origin', 'https://a.example', '--origin', 'https://b.example:8443']
  const { answer } = await operateJson(settings, ['installation', 'create', ...of, ...origins])
  const { publicKey, installationId } = answer
  expect(answer).toMatchObject({ ok: true, origins: ['https://a.example', 'https://b.example:8443'] })
  const at = async (origin: string) => {
    const body = { publicKey, clientReference: `buyer-${++clicks}`, returnUrl: `${origin}/thanks` }
    return (await clickWidget(kassa.url, shop, { origin, body })).status
  }
  expect(await at('https://b.example:8443')).toBe(201)
  expect(await at('https://b.example')).toBe(403)
  expect(await at(SHOP_ORIGIN)).toBe(403)
  expect((await operate(settings, ['installation', 'revoke', '--installation', installationId])).code).toBe(0)
  await expectWithin(1_000, () => at('https://a.example'), 403)
  const shown = await operateJson(settings, ['installation', 'show', '--installation', installationId])
  expect(shown.answer).toMatchObject({ installationId, publicKey, revokedAt: expect.any(String) })
})

test('the doctor agrees with the widget endpoint, explains a rejection, and names the command that fixes it', async () => {
  const ask = ['installation', 'doctor', '--installation', shop.installationId, '--origin']
  const fine = await operate(settings, [...ask, SHOP_ORIGIN])
  expect(fine).toMatchObject({ code: 0, stderr: '' })
  expect((await click()).status).toBe(201)

  const www = 'https://www.shop.example'
  const refused = await operate(settings, [...ask, www])
  expect(refused.code).toBe(1)
  expect(refused.stdout).toContain('one with www and one without')
  const fix = /installation allow .*/.exec(refused.stderr)?.[0].split(' ') ?? []
  await operateJson(settings, fix)
  const atWww = async () => {
    const body = { clientReference: `buyer-${++clicks}`, returnUrl: `${www}/thanks` }
    return (await clickWidget(kassa.url, shop, { origin: www, body })).status
  }
  await expectWithin(1_000, atWww, 201)

  const json = await operateJson(settings, [...ask, `${SHOP_ORIGIN}/`])
  expect(json).toMatchObject({
    code: 1,
    answer: { ok: false, allowed: false, revoked: false, error: { code: 'origin_not_trusted' } },
  })
})
