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
export function toneIcon(tone: Tone): Markup {
  return html`<svg class="icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
    <path d=${STROKES[tone]} fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" />
  </svg>`
}
