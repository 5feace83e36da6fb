/** What a live world demands before it gives out keys, and before it answers. Everything is asked as operators and shops ask it. */
import { describe, expect, test, vi } from 'vitest'
import { call, createLink, createSession, linkRequest, readPage, sessionRequest } from '../testing/calls.ts'
import { SHOP_ORIGIN } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { openTwoWorlds } from '../testing/scene/live.ts'

const both = await openTwoWorlds()
const { kassa } = both

const read = (...args: string[]) => operateHere(async () => kassa.worlds, args)
const run = async (...args: string[]) => JSON.parse((await read(...args, '--json')).stdout)
const of = () => ['--merchant', both.liveShop.merchantId]

describe('the review of a domain', () => {
  test('opens only that origin: no live public key for another one', async () => {
    const refused = await read('installation', 'create', ...of(), '--origin', 'https://casino.example')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('https://casino.example is not reviewed')
    expect(refused.stderr).toMatch(/origin approve --merchant mer_\w+ --origin https:\/\/casino\.example/)
    const mixed = ['--origin', SHOP_ORIGIN, '--origin', 'https://casino.example']
    expect((await read('installation', 'create', ...of(), ...mixed)).code).toBe(1)
    expect((await read('installation', 'create', ...of(), '--origin', SHOP_ORIGIN)).code).toBe(0)
  })

  test('is needed for each origin that a live installation gets later', async () => {
    const { installationId } = both.liveShop
    const allow = [
      'installation',
      'allow',
      '--installation',
      installationId,
      '--origin',
      'https://two.example',
    ]
    expect(await read(...allow)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/two\.example is not reviewed[\s\S]*origin approve/),
    })
    await run('origin', 'approve', ...of(), '--origin', 'https://two.example')
    expect(await run(...allow)).toMatchObject({ ok: true, origins: [SHOP_ORIGIN, 'https://two.example'] })
  })

  test('is not needed in the sandbox', async () => {
    const args = ['installation', 'create', ...of(), '--origin', 'http://localhost:8080', '--sandbox']
    expect(await run(...args)).toMatchObject({ ok: true, publicKey: expect.stringMatching(/^kpk_sandbox_/) })
  })

  test('does not make the origin trusted for calls to /v1, and the other way round', async () => {
    const origin = 'https://reviewed.example'
    const ask = () => {
      const headers = { authorization: `Bearer ${both.liveShop.token}`, origin }
      return call(`${kassa.url}/v1/payments?paymentId=pay_none`, { method: 'GET', headers })
    }
    await run('origin', 'approve', ...of(), '--origin', origin)
    expect((await ask()).body.error.code).toBe('origin_not_trusted')
    await run('origin', 'add', ...of(), '--origin', origin)
    await expect.poll(async () => (await ask()).body.error.code).toBe('payment_not_found')
    expect(await run('origin', 'list', ...of())).toMatchObject({
      origins: expect.arrayContaining([
        { origin, trustedAt: expect.any(String), approvedAt: expect.any(String) },
      ]),
    })
    await run('origin', 'remove', ...of(), '--origin', origin)
    await expect.poll(async () => (await ask()).body.error.code).toBe('origin_not_trusted')
    const office = 'https://office.example'
    await run('origin', 'add', ...of(), '--origin', office)
    expect((await read('installation', 'create', ...of(), '--origin', office)).code).toBe(1)
  })

  test('can be taken back, and then no further key is issued for the origin', async () => {
    const origin = 'https://sold.example'
    await run('origin', 'approve', ...of(), '--origin', origin)
    expect(await run('origin', 'disapprove', ...of(), '--origin', origin)).toMatchObject({ ok: true })
    expect((await read('installation', 'create', ...of(), '--origin', origin)).code).toBe(1)
    expect((await read('origin', 'disapprove', ...of(), '--origin', origin)).code).toBe(1)
  })
})

describe('https', () => {
  const post = (token: string, headers: Record<string, string>) =>
    fetch(`${kassa.url}/v1/payment-sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
      body: JSON.stringify(sessionRequest({ merchantOrderId: crypto.randomUUID() })),
    })
  const plain: Record<string, string>[] = [
    {},
    { 'x-forwarded-proto': 'http' },
    { 'x-forwarded-proto': 'http, https' },
    { 'x-forwarded-proto': 'https,http' },
    { 'x-forwarded-proto': 'https, http, https' },
    { 'x-forwarded-proto': 'https, ' },
  ]

  test.each(plain)('is demanded for /v1 in the live world: %j', async (headers) => {
    const answer = await post(both.liveShop.token, headers)
    expect([answer.status, await answer.json()]).toMatchObject([403, { error: { code: 'https_required' } }])
  })

  test('is demanded before the token is read', async () => {
    for (const token of ['ksk_live_mistyped', 'x', '']) {
      const answer = await post(token, {})
      expect([token, answer.status, (await answer.json()).error.code]).toEqual([token, 403, 'https_required'])
    }
    expect((await post('ksk_live_mistyped', { 'x-forwarded-proto': 'https' })).status).toBe(401)
    expect((await post(both.liveShop.token, { 'x-forwarded-proto': 'https' })).status).toBe(201)
  })

  test.each(plain)('is demanded for a page of the live world, which leads to it: %j', async (headers) => {
    const { id } = (await createSession(kassa.url, both.liveShop, { key: crypto.randomUUID() })).body
    for (const [method, path] of [
      ['GET', `/checkout/${id}?locale=hy`],
      ['GET', `/checkout/${id}/return`],
      ['GET', `//evil.example/checkout/${id}`],
      ['POST', `/checkout/${id}/continue`],
    ] as const) {
      const answer = await fetch(kassa.url + path, { method, headers, redirect: 'manual' })
      const html = await answer.text()
      if (path.startsWith('//')) expect(answer.status).toBe(404)
      else {
        expect([method, path, answer.status]).toEqual([method, path, 403])
        expect(html).toContain('data-kind="https_required"')
        expect(html).toContain(`href="https://pay.example${method === 'GET' ? path : '/'}"`)
        expect(html).not.toContain('data-testid="pay"')
        expect(answer.headers.get('set-cookie')).toBeNull()
      }
    }
  })

  test('lets a page of the live world show itself', async () => {
    const { id } = (await createSession(kassa.url, both.liveShop, { key: crypto.randomUUID() })).body
    for (const proto of ['https', 'https, https'])
      expect(
        (await fetch(`${kassa.url}/checkout/${id}`, { headers: { 'x-forwarded-proto': proto } })).status,
      ).toBe(200)
  })

  test('is not demanded in the sandbox', async () => {
    expect((await post(both.sandboxShop.token, {})).status).toBe(201)
  })

  test('is the only scheme of pages with a live public key', async () => {
    const origin = 'http://shop.example'
    await run('origin', 'approve', ...of(), '--origin', origin)
    const created = await read('installation', 'create', ...of(), '--origin', origin)
    expect(created).toMatchObject({ code: 1, stderr: expect.stringMatching(/https:\/\/shop\.example/) })
    const { installationId } = both.liveShop
    const allowed = await read('installation', 'allow', '--installation', installationId, '--origin', origin)
    expect(allowed).toMatchObject({ code: 1, stderr: expect.stringContaining('https') })
  })

  test('is advised for returnUrl, on the install page and in the log', async () => {
    const page = async () => (await readPage(`${kassa.url}/install/${both.liveShop.publicKey}`)).html
    expect(await page()).not.toContain('data-testid="insecure-return"')
    const warn = vi.spyOn(kassa.live.log, 'warn')
    const returnUrl = 'http://shop.example/thanks'
    const session = { key: 'plain', body: sessionRequest({ merchantOrderId: 'plain', returnUrl }) }
    expect((await createSession(kassa.url, both.liveShop, session)).status).toBe(201)
    expect(await page()).toContain('data-testid="insecure-return"')
    const link = { key: 'plain-link', body: linkRequest({ returnUrl }) }
    expect((await createLink(kassa.url, both.liveShop, link)).status).toBe(201)
    const { merchantId } = both.liveShop
    expect(warn.mock.calls).toEqual([
      [
        expect.objectContaining({ merchantId, host: 'shop.example' }),
        expect.stringContaining('without https'),
      ],
    ])
    warn.mockRestore()
  })
})

test('the paid test payment counts whichever world is asked', async () => {
  const { merchantId } = both.sandboxShop
  await kassa.ctx.db.query(
    `insert into sandbox.events (merchant_id, id, payment_id, sequence, status, body, created_at, state, delivered_at)
     values ($1, 'evt_test_onboarding', 'pay_test_onboarding', 1, 'paid', '{}', now(), 'delivered', now())`,
    [merchantId],
  )
  const live = await run('merchant', 'onboarding', '--merchant', merchantId, '--live')
  expect(live.done).toEqual(['test_payment'])
})
