/** Pictures for social networks. The script draws them from the paper, so without a script they are not shown. */
import { html, type Markup } from '../html.ts'
import { sayInstall } from '../words/install-messages.ts'
import type { Locale } from '../words/locale.ts'

const PICTURES = [
  { name: 'square', title: 'posterSquare', width: 1080, height: 1080 },
  { name: 'story', title: 'posterStory', width: 1080, height: 1920 },
] as const

export function socialSection(locale: Locale): Markup {
  return html`<section class="social not-printed" aria-labelledby="social-title" hidden data-social>
    <h2 id="social-title">${sayInstall(locale, 'posterSocial')}</h2>
    <div class="pictures">
      ${PICTURES.map(({ name, title, width, height }) => {
        const label = sayInstall(locale, title)
        return html`<figure>
          <canvas role="img" aria-label=${label} width=${width} height=${height} data-picture=${name}></canvas>
          <figcaption>${label}</figcaption>
          <button type="button" class="copy" data-save=${name} aria-label=${`${sayInstall(locale, 'posterSave')}: ${label}`}>${sayInstall(locale, 'posterSave')}</button>
          <button type="button" class="copy" hidden data-share=${name} aria-label=${`${sayInstall(locale, 'posterShare')}: ${label}`}>${sayInstall(locale, 'posterShare')}</button>
        </figure>`
      })}
    </div>
  </section>`
}
