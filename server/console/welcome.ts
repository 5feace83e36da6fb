/** The console's start for somebody who is not signed in. */
import { html } from '../pages/html.ts'
import type { ConsolePage } from './page.ts'
import { say } from './words.ts'

export const welcome: ConsolePage = {
  method: 'get',
  path: '/',
  async handle({ locale }) {
    const title = say(locale, 'welcomeTitle')
    const body = html`<h1>${title}</h1>
      <p class="lead">${say(locale, 'welcomeText')}</p>
      <p>${say(locale, 'linkNeeded')}</p>`
    return { kind: 'screen', title, body }
  },
}
