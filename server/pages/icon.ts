import type { RouteMark } from '../contract/route-mark.ts'
import type { Tone } from './checkout/status-content.ts'
import { html, type Markup } from './html.ts'

/** Stroke paths on a 24 by 24 grid. */
const STROKES: Record<Tone, string> = {
  open: 'M5 8.5h14v9.5H5zM5 12h14M8 15.2h3',
  good: 'M6.5 12.5l3.7 3.7 7.3-8',
  waiting: 'M12 6.8V12l3.4 2.2M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16z',
  unsure: 'M9.2 9.4a2.9 2.9 0 1 1 4.3 2.5c-.9.5-1.5 1.1-1.5 2.2M12 17.2v.1',
  bad: 'M12 6.6v6.6M12 17v.1',
  neutral: 'M7 12h10',
}

/** A decoration. The state is always also written as text. */
export const toneIcon = (tone: Tone): Markup => icon('icon', STROKES[tone])

/**
 * Our own drawings, and no marks of brands. A brand's mark belongs to the contract between its network and the shop, has to be shown
 * as it is, and often needs an approval. So a page that serves every shop cannot show one.
 */
const MARKS: Record<RouteMark, string> = {
  card: 'M3 7a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zM3 9.8h18M6.5 15h4',
  wallet:
    'M18 7.5V6a2 2 0 0 0-2-2H5a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h14a2 2 0 0 0 2-2V9.5a2 2 0 0 0-2-2H5M16.5 13.8v.1',
  bank: 'M3.5 9.5L12 4l8.5 5.5zM4 20h16M6 17.5v-5M10 17.5v-5M14 17.5v-5M18 17.5v-5',
  cash: 'M3 7h18v10H3zM12 9.6a2.4 2.4 0 1 1 0 4.8 2.4 2.4 0 0 1 0-4.8M6 12v.1M18 12v.1',
  qr: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2.5v2.5M20 14v2.5M14 20h2.5M20 19.5v.5',
}

export const methodMark = (mark: RouteMark): Markup => icon('method', MARKS[mark])

function icon(name: string, path: string): Markup {
  return html`<svg class=${name} viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
    <path d=${path} fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" />
  </svg>`
}
