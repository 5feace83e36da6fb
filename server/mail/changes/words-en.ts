/** The mails about changes, in English. */
import type { ChangeWords } from './words.ts'

export const CHANGES_EN: ChangeWords = {
  changes: {
    address: {
      title: 'The mails about orders go to another address',
      text: 'Somebody who may do so has changed the address to which {name} sends mails about orders. This address gets no more of them.',
    },
    price: {
      title: 'A price has changed',
      text: 'Somebody who may do so has changed a price of {name}. New payments use the new price.',
    },
    product: {
      title: 'Products were added',
      text: 'Somebody who may do so has added products with their prices to {name}. Buyers can pay for them.',
    },
    callback: {
      title: 'The news of payments goes to another address',
      text: 'Somebody who may do so has changed the address to which the news of payments of {name} goes.',
    },
    event_secret: {
      title: 'The secret of events was replaced',
      text: 'Somebody who may do so has replaced the secret that signs the news of payments of {name}.',
    },
    token: {
      title: 'A token was replaced',
      text: 'Somebody who may do so has replaced a token with which the server of {name} takes payments.',
    },
    token_issued: {
      title: 'A new token was issued',
      text: 'Somebody who may do so has issued a token with which a server can act for {name}.',
    },
    token_limit: {
      title: 'A token may return more money',
      text: 'Somebody who may do so has raised the limit up to which a token of {name} returns money.',
    },
    account: {
      title: 'The account for the money has changed',
      text: 'Somebody who may do so has changed the account to which the money of {name} goes.',
    },
    routes: {
      title: 'The ways to pay have changed',
      text: 'Somebody who may do so has changed the ways to pay between which the buyers of {name} choose.',
    },
    role: {
      title: 'Your role has changed',
      text: 'Somebody who may do so has changed what you may do.',
    },
    shop: {
      title: 'Your shop has changed',
      text: 'Somebody who may do so has changed the shop whose payments you see.',
    },
    refund_limit: {
      title: 'Your limits of returns have changed',
      text: 'Somebody who may do so has changed how much money you may return.',
    },
    email: {
      title: 'You sign in with another e-mail address',
      text: 'Somebody who may do so has changed the e-mail address with which you sign in. This address does not work for that any more.',
    },
    sign_in_ended: {
      title: 'Your sign-in was ended',
      text: 'Somebody who may do so has ended how you sign in to the console, and has made a new link for you. The link was not sent by mail.',
    },
    sign_in_set_up: {
      title: 'Your sign-in was set up',
      text: 'Somebody has used your link and set up how you sign in.',
    },
    key: {
      title: 'Your key for commands was replaced',
      text: 'Somebody who may do so has made a new personal key for you. The old key does not work any more.',
    },
    passkey_added: {
      title: 'You have a new passkey',
      text: 'A passkey was added with which you can sign in.',
    },
    passkey_removed: {
      title: 'A passkey was removed',
      text: 'A passkey was removed with which you could sign in. Your other sessions have ended.',
    },
    recovery_codes: {
      title: 'You have new recovery codes',
      text: 'New recovery codes were made for your sign-in. The codes before do not work any more.',
    },
    removed: {
      title: 'You were removed',
      text: 'Somebody who may do so has removed you. You can no longer sign in to the console, and your key for commands does not work.',
    },
    person_added: {
      title: 'Somebody was added who may approve',
      text: '{name} was added, and may now approve what others propose.',
    },
    approval_limit: {
      title: 'A limit for the second person has changed',
      text: 'Somebody who may do so has changed the amount from which a second person must approve.',
    },
  },
  ask: {
    shop: 'If you did not expect this, ask whoever runs the payments of the shop at once.',
    person: 'If you did not expect this, tell an administrator of your payment service at once.',
  },
  why: {
    shop: 'This mail was sent to the address for mails about orders, or to the people of the shop. If that address has changed, it was sent to the one before.',
    person:
      'This mail was sent to the address with which you sign in. If that address has changed, it was sent to the one before.',
  },
}
