/** Printed and scanned things with everything that a shop can put on them: posters as PDF and as PNG, and the code of a transfer. */
import { readFile } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import sharp from 'sharp'
import { type Gallery, openGallery } from './support/gallery.ts'
import { PAPERS, pagesOf, readPicture } from './support/printed.ts'

/** `all`: three languages on the smallest paper. */
const POSTERS = { ...PAPERS, all: PAPERS.a6 }
const SHORT = 'https://pay.example/p/mountain-tea'

let gallery: Gallery
test.beforeAll(async () => {
  gallery = await openGallery()
})
test.afterAll(() => gallery.close())

for (const name of Object.keys(POSTERS) as (keyof typeof POSTERS)[])
  for (const locale of ['hy', 'ru', 'en'])
    test(`a full poster ${name} in ${locale} prints on one page, with a code that is read`, {
      tag: '@long',
    }, async ({ page }) => {
      await page.goto(gallery.addressOf(`install-poster-full-${name}`, locale))
      const face = page.locator('.front')
      for (const part of ['photo', 'logo'])
        await expect(face.locator(`img[data-part="${part}"]`)).toHaveJSProperty('complete', true)
      expect(pagesOf(await page.pdf({ preferCSSPageSize: true }))).toEqual([POSTERS[name]])
      await page.emulateMedia({ media: 'print' })
      expect(await face.evaluate(cutParts)).toEqual([])
      expect((await readPicture(await face.screenshot())).text).toBe(SHORT)
    })

/** Runs in the page. Returns the texts that are outside the paper, or longer than their room. */
function cutParts(face: Element): string[] {
  const { left, right, top, bottom } = face.getBoundingClientRect()
  return (
    [...face.querySelectorAll<HTMLElement>('p, img, .qr-code')]
      // A table tent with a photo shows no logo.
      .filter((each) => each.checkVisibility())
      .filter((each) => {
        const box = each.getBoundingClientRect()
        const isOutside =
          box.left < left - 1 || box.right > right + 1 || box.top < top - 1 || box.bottom > bottom + 1
        return isOutside || each.scrollWidth > each.clientWidth + 1
      })
      .map((each) => each.dataset.part ?? each.className.toString())
  )
}

for (const [name, isMarked] of [
  ['install-poster-full-a4', true],
  ['install-poster-full-live', false],
] as const)
  test(`the mark of test mode is in the picture of a sandbox poster alone: ${name}`, {
    tag: '@long',
  }, async ({ page }) => {
    await page.goto(gallery.addressOf(name, 'en'))
    await expect(page.locator('#poster')).toHaveAttribute('data-ready', 'yes')
    const colours = await colourOf(page, ['ribbon', 'on-ribbon'])
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as a picture' }).click()
    const png = await readFile(await (await saved).path())
    expect((await readPicture(png)).text).toBe(SHORT)
    const [ground = 0, ink = 0] = await partsOf(png, colours)
    expect(ground > 0.6 && ink > 0.01).toBe(isMarked)
  })

/** Returns the colours of the paper as red, green and blue. */
function colourOf(page: Page, names: string[]): Promise<number[][]> {
  return page.getByTestId('paper').evaluate((paper, all) => {
    const pen = document.createElement('canvas').getContext('2d')
    return all.map((name) => {
      if (!pen) return []
      pen.fillStyle = getComputedStyle(paper).getPropertyValue(`--${name}`).trim()
      pen.fillRect(0, 0, 1, 1)
      return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3)
    })
  }, names)
}

/** Returns which part of the first 60 lines has each of the colours. */
async function partsOf(png: Buffer, colours: number[][]): Promise<number[]> {
  const band = sharp(png).extract({ left: 0, top: 0, width: 1080, height: 60 }).removeAlpha()
  const bytes = await band.raw().toBuffer()
  const pixels = Array.from({ length: bytes.length / 3 }, (_, at) => bytes.subarray(at * 3, at * 3 + 3))
  return colours.map(
    (colour) =>
      pixels.filter((pixel) => pixel.every((each, at) => each === colour[at])).length / pixels.length,
  )
}

test('a banking app reads the transfer from the page: account, amount and the number of the order', {
  tag: '@long',
}, async ({ page }) => {
  for (const locale of gallery.locales) {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(gallery.addressOf('checkout-transfer', locale))
    const { text } = await readPicture(await page.getByTestId('transfer-qr').screenshot())
    expect(text?.split('\n')).toEqual([
      'BCD',
      '002',
      '1',
      'SCT',
      'COBADEFF',
      'Teahouse LLC',
      'DE89370400440532013000',
      'EUR190000.00',
      '',
      '',
      'MAPZ 2VEK',
    ])
  }
})
