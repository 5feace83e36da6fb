/** A buyer who returns while PayPal's webhook is still being handled reads the result, and not the state of before. */
import { expect, test } from 'vitest'
import { lookUp, readPage } from '../../testing/calls.ts'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer } from '../../testing/providers/paypal-server.ts'
import { closeAfter } from '../../testing/scene.ts'

const CAPTURE_MS = 400

const scene = closeAfter(await setPaypalScene())

/** The buyer approves, and the webhook begins to take the money. Resolves when PayPal has been asked to take it. */
async function approveAndCallBack() {
  const { body } = await scene.open()
  const back = await actAsBuyer(body.providerCheckoutUrl, 'pay')
  const { promise: isTaking, resolve } = Promise.withResolvers<void>()
  scene.proxy.slowDown({
    ms: CAPTURE_MS,
    isMeant(_, path) {
      if (path.endsWith('/capture')) resolve()
      return path.endsWith('/capture')
    },
  })
  const delivered = scene.deliver()
  await isTaking
  return { id: body.id, checkoutUrl: body.checkoutUrl, back, delivered }
}

const look = async (id: string) => (await lookUp(scene.kassa.url, scene.shop, id)).body

test('the return goes on to the shop', async () => {
  const { id, back, delivered } = await approveAndCallBack()
  expect(await scene.comeBack(back)).toContain(`paymentId=${id}`)
  expect(await delivered).toEqual([200])
  await scene.expectReconciled(id)
})

test('a second return at once goes on too', async () => {
  const { id, back, delivered } = await approveAndCallBack()
  const places = await Promise.all([scene.comeBack(back), scene.comeBack(back), scene.comeBack(back)])
  expect(places).toEqual(Array(3).fill(expect.stringContaining(`paymentId=${id}`)))
  await delivered
  await scene.expectReconciled(id)
})

test('a look-up, the page and the link page show that it is paid', async () => {
  const { id, checkoutUrl, delivered } = await approveAndCallBack()
  const [looked, page] = await Promise.all([look(id), readPage(checkoutUrl)])
  expect(looked.status).toBe('paid')
  expect(page.html).toContain('data-status="paid"')
  await delivered
})

test('another payment does not wait', async () => {
  const { id, back, delivered } = await approveAndCallBack()
  const other = await scene.open()
  expect((await look(other.body.id)).status).toBe('pending_redirect')
  expect(await scene.comeBack(back)).toContain(`paymentId=${id}`)
  await delivered
})
