/** A real Kassa with the simulated bank, one platform with our plug-in, and the gate through which its events go. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject, vi } from 'vitest'
import { getEvent } from '../../operator/event-history.ts'
import { replayEvent } from '../../operator/event-replay.ts'
import { setCallback } from '../../receivers/receiver.ts'
import { askOperation, lookUp, payAtBank } from '../calls.ts'
import { createEmptyDatabase, throughTcp } from '../database.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../harness.ts'
import { type FaultProxy, startFaultProxy } from '../providers/fault-proxy.ts'
import { type Gate, openGate } from './gate.ts'
import type { Checkout, KassaAccess, Platform, PlatformShop } from './platform.ts'

const STORED_WITHIN_MS = 60_000

export type Scene = {
  kassa: Kassa
  shop: Shop
  access: KassaAccess
  gate: Gate
  /** Opens the gate, and sends again what it has refused, as a person does when the shop is back. Kassa's third try comes after five minutes. */
  reopenGate(): Promise<void>
  /** Through it the platform calls Kassa. */
  proxy: FaultProxy
  platform: PlatformShop
  /** Payments that are created from now on are only authorized, or are paid at once. */
  setTwoStep(isTwoStep: boolean): void
  /** Plays the buyer at the bank. Returns the address to which the buyer is sent back. */
  choose(checkout: Checkout, outcome: string): Promise<string>
  /** The payment as Kassa has it. */
  payment(paymentId: string): Promise<{ status: string; capturedMinor: number; refundedMinor: number }>
  /** Returns money by a call from outside the platform. */
  refundOutside(paymentId: string, amountMinor: number): Promise<void>
  /** Takes this much of what is held, by a call from outside the platform. */
  captureOutside(paymentId: string, amountMinor: number): Promise<void>
  close(): Promise<void>
}

/** Sends again what the gate has refused. */
async function sendAgain({ ctx }: Kassa, { refused }: Gate): Promise<void> {
  for (const [eventId, refusals] of refused) {
    // A try that is stored after this would set the time of the next one again.
    const isStored = async () => (await getEvent(ctx, eventId)).deliveries.length >= refusals
    await vi.waitUntil(isStored, { timeout: STORED_WITHIN_MS })
    await replayEvent(ctx, eventId)
  }
  refused.clear()
}

export async function setPlatformScene(platform: Platform, install: string): Promise<Scene> {
  const closing: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const each of closing.toReversed()) await each()
  }
  try {
    const kassa = await startKassa({ worker: true })
    closing.push(() => kassa.close())
    const gate = await openGate()
    closing.push(() => gate.close())
    const folder = await mkdtemp(join(tmpdir(), `kassa-${platform.name}-`))
    closing.push(() => rm(folder, { recursive: true, force: true }))
    const database = await createEmptyDatabase(inject('postgresUrl'))
    closing.push(() => database.drop())
    const shop = await openShop(kassa.ctx)
    await setCallback(kassa.ctx, shop.merchantId, gate.url)
    const proxy = await startFaultProxy(kassa.url)
    closing.push(() => proxy.close())
    const access = { url: proxy.url, token: shop.token, webhookSecret: shop.webhookSecret }
    const databaseUrl = throughTcp(database.url).href
    const opened = await platform.open({ kassa: access, install, folder, databaseUrl })
    closing.push(() => opened.close())
    gate.target = opened.callbackUrl
    let calls = 0
    async function actOutside(what: 'refunds' | 'capture', paymentId: string, body: object) {
      const request = { key: `outside-${++calls}`, body }
      const answer = await askOperation(kassa.url, shop, paymentId, what, request)
      if (answer.status >= 300) throw new Error(JSON.stringify(answer.body))
    }
    return {
      kassa,
      shop,
      access,
      gate,
      async reopenGate() {
        gate.isOpen = true
        await sendAgain(kassa, gate)
      },
      proxy,
      platform: opened,
      setTwoStep(isTwoStep) {
        kassa.ctx.config = { ...kassa.ctx.config, defaultProvider: isTwoStep ? 'route_b' : 'route_a' }
      },
      async choose({ paymentId }, outcome) {
        const back = await payAtBank(`${kassa.url}/checkout/${paymentId}/continue`, outcome)
        if (back === null) throw new Error('The bank has sent the buyer nowhere.')
        return back
      },
      payment: async (paymentId) => (await lookUp(kassa.url, shop, paymentId)).body,
      refundOutside: (paymentId, amountMinor) =>
        actOutside('refunds', paymentId, { amountMinor, reason: 'returned at the counter' }),
      captureOutside: (paymentId, amountMinor) => actOutside('capture', paymentId, { amountMinor }),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
