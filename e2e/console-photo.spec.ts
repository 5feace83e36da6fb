/** A photo of a telephone in the console: large, sideways, or in a format that the browser cannot read. */
import sharp from 'sharp'
import { enter, openConsoleScene, originOf } from './support/console.ts'
import { expect, test } from './support/stage.ts'

/**
 * Noise hardly compresses, so these few pixels have as many bytes as a photo. A mark in the file says that the picture is turned by 90
 * degrees.
 */
const photo = () =>
  sharp({
    create: {
      width: 2_700,
      height: 1_800,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 100 })
    .toBuffer()

test('a large photo is sent small and the right way up, and one that nobody can read is not sent', {
  tag: '@long',
}, async ({ kassa, browser }) => {
  const { sessions, merchantId } = await openConsoleScene(kassa)
  const context = await browser.newContext({ locale: 'en' })
  await enter(context, kassa, sessions.shop)
  const page = await context.newPage()
  const shop = `${originOf(kassa)}/sandbox/shops/${merchantId}`
  await page.goto(`${shop}/add-product`)
  await page.getByLabel('Name', { exact: true }).first().fill('Photographed')
  await page.getByLabel('Price').fill('1900')
  const unreadable = { name: 'photo.heic', mimeType: 'image/heic', buffer: Buffer.from('....ftypheic....') }
  await page.getByLabel('Photo').setInputFiles(unreadable)
  await expect(page.getByText('This browser cannot read this photo.')).toBeVisible()
  expect(await page.getByLabel('Photo').inputValue()).toBe('')

  const buffer = await photo()
  expect(buffer.length).toBeGreaterThan(5 * 1024 * 1024)
  await page.getByLabel('Photo').setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('**/share?*')
  await page.goto(`${shop}/products/photographed`)
  const shown = page.locator('.product-photo')
  expect([await shown.getAttribute('width'), await shown.getAttribute('height')]).toEqual(['667', '1000'])
  await context.close()
})
