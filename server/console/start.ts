/** The first screen of somebody who is signed in. */
import { html } from '../pages/html.ts'
import type { ConsolePage } from './page.ts'
import { say } from './words.ts'

export const start: ConsolePage = {
  method: 'get',
  path: '/',
  needs: 'session',
  async handle({ locale, user }) {
    const title = say(locale, 'welcomeTitle')
    const role = say(locale, `role_${user.role}`)
    const body = html`<h1>${title}</h1>
      <p>${say(locale, 'signedInAs', { name: user.name, role })}</p>
      <form method="post" action="/sign-out"><button class="button quiet">${say(locale, 'signOut')}</button></form>`
    return { kind: 'screen', title, body }
  },
}
