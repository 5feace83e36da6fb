/** Saved cards: the results of a charge without the buyer. */
import { describe, expect, test } from 'vitest'
import type { CardName } from '../../testing/providers/stripe/cards.ts'
import { setStripeScene } from '../../testing/providers/stripe-scene.ts'
import { closeAfter } from '../../testing/scene.ts'
import { stripeDriver } from './driver.ts'

const scene = closeAfter(await setStripeScene())

describe('a saved card', () => {
  async function saved(card: CardName) {
    const given = scene.attempt()
    const opened = await stripeDriver.saveToken?.(scene.callWith(), given)
    if (opened?.kind !== 'redirect') throw new Error('no page')
    scene.buyer(opened, card)
    const found = await stripeDriver.lookUpToken?.(scene.callWith(), {
      reference: given.reference,
      state: null,
    })
    if (found?.kind !== 'found') throw new Error('not found')
    return { reference: given.reference, state: found.state }
  }

  test.each([
    ['saved_then_declines', 'soft', 'declined (generic_decline)'],
    ['saved_then_lost', 'hard', 'declined (lost_card)'],
    ['saved_then_asks', 'soft', 'declined (authentication_required)'],
  ] as const)('%s is a %s decline: %s', async (card, decline, message) => {
    const charge = { ...scene.attempt(), token: await saved(card) }
    expect(await stripeDriver.chargeToken?.(scene.callWith(), charge)).toEqual({
      kind: 'refused',
      decline,
      message,
    })
    const order = { reference: charge.reference, state: null }
    expect((await scene.look(order)).snapshot).toMatchObject({ order: 'declined', decline, capturedMinor: 0 })
  })

  test('is charged once, however often the same charge is sent', async () => {
    const charge = { ...scene.attempt(), token: await saved('visa') }
    scene.server.spoilNextWrite('hang_up')
    await expect(stripeDriver.chargeToken?.(scene.callWith(), charge)).rejects.toThrow()
    expect(await stripeDriver.chargeToken?.(scene.callWith(), charge)).toMatchObject({ kind: 'done' })
    const own = [...scene.account.intents.values()].filter(({ metadata }) =>
      Object.values(metadata).includes(charge.reference),
    )
    expect(own).toHaveLength(1)
  })

  test('whose mandate has a status of tomorrow stays saved, and the core is told of the word', async () => {
    const { reference, state } = await saved('saved_with_mandate')
    const [mandate] = scene.account.mandates.values()
    if (!mandate) throw new Error('no mandate')
    mandate.status = 'asleep'
    const words: unknown[] = []
    const call = {
      ...scene.callWith(),
      noteWord(word: unknown) {
        words.push(word)
      },
    }
    expect(await stripeDriver.lookUpToken?.(call, { reference, state })).toMatchObject({ status: 'active' })
    expect(words).toEqual([{ what: 'mandate status', word: 'asleep' }])
  })

  test('a request that Stripe rejects as invalid does not end a subscription', async () => {
    const charge = { ...scene.attempt(), token: await saved('visa') }
    const wrong = { ...charge, amountMinor: 0.5 }
    expect(await stripeDriver.chargeToken?.(scene.callWith(), wrong)).toMatchObject({ decline: 'soft' })
  })
})
