import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listTokens, revokeToken } from '../merchants/api-key.ts'
import { getBranding, setBranding } from '../merchants/branding.ts'
import { openWebhookSecrets, rotateWebhookSecret } from '../receivers/secret.ts'
import { lookUp } from '../testing/calls.ts'
import { expectWithin } from '../testing/expect-within.ts'
import { type Kassa, type Shop, startKassa } from '../testing/harness.ts'
import { seedDemo } from './seed.ts'

async function withKassa(work: (kassa: Kassa, dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-demo-'))
  const kassa = await startKassa()
  try {
    await work(kassa, dataDir)
  } finally {
    await kassa.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

test('at the next start the demo shop has a working token and secret even if they were rotated or revoked, and keeps everything else', async () => {
  await withKassa(async (kassa, dataDir) => {
    const at = {
      origins: [kassa.url],
      returnUrl: `${kassa.url}/thanks`,
      callbackUrl: `${kassa.url}/demo/callback`,
    }
    const start = () => seedDemo(kassa.ctx, dataDir, at)
    const first = await start()
    expect(await start()).toEqual(first)
    if (!first) throw new Error('There is no demo.')

    const { webhookSecret } = await rotateWebhookSecret(kassa.ctx, first.merchantId, '0')
    const [issued] = await listTokens(kassa.ctx, first.merchantId)
    await revokeToken(kassa.ctx, issued?.id ?? '')
    const status = async (token: string) => (await lookUp(kassa.url, { token } as Shop, 'pay_none')).status
    await expectWithin(1_000, () => status(first.token), 401)
    const again = await start()
    expect(again).toEqual({ ...first, token: expect.stringMatching(/^ksk_sandbox_/), webhookSecret })
    expect(await status(again?.token ?? '')).toBe(404)
    expect(await openWebhookSecrets(kassa.ctx, first.merchantId)).toEqual([webhookSecret])
    expect(await start()).toEqual(again)
  })
})

test('the brand of the demo shop has every way to reach it, and its site moves with the service', async () => {
  await withKassa(async (kassa, dataDir) => {
    const at = (origin: string) => ({
      origins: [origin],
      returnUrl: `${origin}/demo/thanks.html`,
      callbackUrl: `${origin}/demo/callback`,
    })
    const demo = await seedDemo(kassa.ctx, dataDir, at('http://localhost:3000'))
    if (!demo) throw new Error('There is no demo.')
    const brand = async () => (await getBranding(kassa.ctx, demo.merchantId)).branding
    expect(await brand()).toMatchObject({
      // No area of Armenia begins with a zero, so this is nobody's number.
      phone: '+374 00 000000',
      email: expect.stringContaining('.example'),
      site: 'http://localhost:3000/demo/',
      taxNumber: expect.any(String),
      timeZone: 'Asia/Yerevan',
    })
    await seedDemo(kassa.ctx, dataDir, at('http://localhost:4000'))
    expect((await brand()).site).toBe('http://localhost:4000/demo/')
    await setBranding(kassa.ctx, demo.merchantId, { site: 'https://tea.example/' })
    await seedDemo(kassa.ctx, dataDir, at('http://localhost:5000'))
    expect((await brand()).site).toBe('https://tea.example/')
  })
})
