/** Finds faults on a small screen: a page that is wider than the screen, and a price that breaks over two lines. */
import type { Page } from '@playwright/test'

export const SMALL_PHONE = { width: 320, height: 740 }
const PHONE = { width: 390, height: 844 }
/**
 * WCAG 2.2, 1.4.12: a page must work with this much extra space between letters and words. The extra space also replaces a
 * test with wide fonts, so the result does not depend on the fonts of this machine.
 */
const WIDE_LETTERS = '* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important }'

/** Returns the page's faults at the current width, with normal and with extra spacing. */
export function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(lookAtLayout, WIDE_LETTERS)
}

/** Returns the page's faults on a small phone and on a phone of usual size. */
export async function phoneFaults(page: Page): Promise<string[]> {
  const faults: string[] = []
  for (const screen of [PHONE, SMALL_PHONE]) {
    await page.setViewportSize(screen)
    faults.push(...(await layoutFaults(page)).map((fault) => `${fault}, at ${screen.width} px`))
  }
  return faults
}

/** Runs in the page. A constructed style sheet is not subject to the page's content policy. */
function lookAtLayout(wideLetters: string): string[] {
  // An amount ends with a digit: in a list such as "EUR 1.00-5000.00, USD 2.00-" a currency is not that of the amount before it.
  const price = /[֏€$₽]\s?\d[\d\s.,]*|\d(?:[\d\s.,]*\d)?\s?(?:[֏€$₽]|AMD|USD|EUR)/g
  const linesOf = (node: Node, start: number, end: number) => {
    const range = document.createRange()
    range.setStart(node, start)
    range.setEnd(node, end)
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
  }
  const look = (): string[] => {
    const faults: string[] = []
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) faults.push(`${scrollWidth - clientWidth} px wider than the screen`)
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      if (node.parentElement?.closest('pre, textarea, option')) continue
      for (const { 0: text, index } of (node.textContent ?? '').matchAll(price))
        if (linesOf(node, index, index + text.trimEnd().length) > 1) faults.push(`the price ${text} breaks`)
    }
    return faults
  }
  const usual = look()
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(wideLetters)
  document.adoptedStyleSheets.push(sheet)
  const wide = look()
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet)
  return [...usual, ...wide.map((fault) => `${fault}, with wide letters`)]
}
