/** After the bank, and before it: the action is in sight without scrolling, on small phones and on a desktop. */
import { showPage } from './support/show-page.ts'
import { expect, test } from './support/stage.ts'

const SCREENS = [
  { width: 360, height: 640 },
  { width: 360, height: 740 },
  { width: 1280, height: 720 },
]
/** The account and the number to write are what the buyer acts on. */
const ACTIONS = '.action .button, .action [data-testid=transfer]'
/**
 * A field comes before its button, a warning before the choice that it is about, and a notice of an earlier payment or of a wrong field
 * has its own link.
 * There the first thing to do is in sight.
 */
const FIRST = '.action input:not([type=hidden]):not(.unseen), .action select, .action .way, .action .alert a'

for (const colorScheme of ['light', 'dark'] as const)
  test(`the action is in sight in every state, ${colorScheme}`, { tag: '@long' }, async ({
    browser,
    gallery,
  }) => {
    const context = await browser.newContext({ colorScheme })
    const page = await context.newPage()
    const names = gallery.names.filter((name) => /^(checkout|link|offer|pay)-/.test(name))
    expect(names.length).toBeGreaterThan(40)
    const hidden: string[] = []
    for (const name of names)
      for (const locale of gallery.locales) {
        await showPage(page, gallery.addressOf(name, locale))
        for (const screen of SCREENS) {
          await page.setViewportSize(screen)
          const end = await page.evaluate(endOfAction, [ACTIONS, FIRST] as const)
          if (end === null || end > screen.height)
            hidden.push(`${name} ${locale} ${screen.width} x ${screen.height}: ${end}`)
        }
      }
    expect(hidden).toEqual([])
    await context.close()
  })

/** Runs in the page. Returns where the first action ends, in pixels from the top. A tall one is in sight from its beginning. */
function endOfAction([actions, first]: readonly [string, string]): number | null {
  const seen = [...document.querySelectorAll(`${actions}, ${first}`)].map((each) =>
    each.getBoundingClientRect(),
  )
  const shown = seen.filter(({ height }) => height > 1)
  if (shown.length === 0) return null
  return Math.round(Math.min(...shown.map(({ top, height }) => top + Math.min(height, 100))))
}
