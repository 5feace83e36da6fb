/** The install page in English, which defines the keys. */
export const INSTALL_EN = {
  title: 'The pay button for your site',
  lead: 'For whoever builds the site of {name}: choose, look, copy. Nothing on this page is secret, so you may pass its address on.',
  unknownTitle: 'There is no such key',
  unknownText:
    'The address is incomplete, or the key was withdrawn. Ask whoever sent it to you for a new one.',
  noProducts:
    'Nothing is for sale with this key yet. As soon as the operator adds a product, the snippets stand here.',

  optionsTitle: 'Your button',
  product: 'Product',
  label: 'Text on the button',
  labelHint: 'Empty: the usual words. %s stands for the price.',
  language: 'Language of the button',
  languagePage: 'as the page says',
  price: 'Price on the button',
  priceShown: 'shown',
  priceHidden: 'not shown',
  priceHint:
    'Text in the snippet, no more: the payment page shows and takes the price that the operator has set. When that changes, paste the snippet anew, or leave the price out.',
  comeBack: 'Where buyers come back to',
  returnGuess:
    'The operator has set no address for this key, and {url} is a guess: make that page, or write the address of yours.',
  returnSet: 'The operator has set this address for the key. Another one holds for this snippet only.',
  returnHint:
    'Every buyer comes back here, also who was declined, gave up or has no answer from the bank yet, and the address does not say which. So the page must not say “paid” by itself: it asks your server, which looks the payment up, or says only that the order is being checked.',
  colours: 'Colours and corners',
  background: 'Button',
  text: 'Text',
  backgroundDark: 'Button, dark page',
  textDark: 'Text, dark page',
  radius: 'Corners, px',
  version: 'Version of the script',
  pinned: 'pinned: {version}, with its hash',
  moving: 'moving: always the current one',
  versionHint:
    'Pinned, the browser runs exactly these bytes or nothing: nobody can change them, and you update by pasting a new snippet. Moving, you get repairs by themselves, and trust this server with your page.',
  show: 'Show it',

  previewTitle: 'How it looks',
  previewLight: 'On a light page',
  previewDark: 'On a dark page',
  previewNote: 'This is the real button. Here it starts no payment.',
  previewPressed: 'Pressed. On your site the buyer would go to the payment page now.',
  previewScript: 'To see the button live, switch JavaScript on. The snippets below are complete without it.',

  snippetsTitle: 'Copy it',
  copy: 'Copy',
  copied: 'Copied',
  copyByHand: 'Select it and copy by hand',
  platform_html: 'HTML',
  platform_script: 'HTML, one line',
  platform_wordpress: 'WordPress',
  platform_tilda: 'Tilda',
  platform_wix: 'Wix',
  platform_shopify: 'Shopify',
  platform_webflow: 'Webflow',
  platform_react: 'React',
  platform_vue: 'Vue',
  note_html:
    'Paste it where the button is to stand. Several buttons on a page need the script only once. The link inside is for buyers without JavaScript. If your builder puts pasted HTML into a frame on another domain, that domain is the origin to allow, or else the link alone does.',
  note_script:
    'The button appears where the tag stands. Buyers without JavaScript see nothing: if that matters, take the form above. Take it too where pages change without loading (Astro’s view transitions, Turbo, swup): a script runs there once, and Astro needs data-astro-rerun on this tag.',
  note_wordpress:
    'Into a “Custom HTML” block. Saving scripts takes the right unfiltered_html: administrators and editors have it, on a multisite network only super admins; from anybody else WordPress strips the tag. WordPress.com takes scripts only on plans that allow plug-ins.',
  note_tilda:
    'Into the block “HTML code” (T123, in “Other”). It needs a paid plan, and the button is seen on the published page, not in the editor. Pages that Tilda shows on its own domain have another origin than your domain: both must be allowed.',
  note_wix:
    'Not “Embed HTML”: Wix puts it into a frame on another domain, where the key is refused. Take “Custom Element” (“Add Elements › Embed”; in Studio “Embed & Social”), under “Choose Source” the server URL, then “Set Attributes”, one for each line. It needs a premium plan with a domain of your own; the server must have https, and Wix takes no hash. On a free plan give an ordinary Wix button the link in the last line.',
  note_shopify:
    'Theme editor, “Add section” or “Add block”, then “Custom Liquid”. The button sells this one product by itself: it does not know the cart, makes no Shopify order and counts no stock, and it cannot stand in Shopify’s checkout, which takes only payment apps that Shopify approved. Previews and the myshopify.com address are origins of their own.',
  note_webflow:
    'Into a “Code Embed” element, on a paid site plan. Publish to see it: the Designer does not run scripts. The preview and the webflow.io address are origins of their own.',
  note_react:
    'React 18 and 19; with server components (Next.js) “use client” goes first. TypeScript wants the element declared in JSX.IntrinsicElements. It may mount twice (StrictMode): the script is inserted once.',
  note_vue: 'Vue has to be told that the element is not one of its components: the comment says where.',

  doctorTitle: 'Does it work on your site?',
  doctorLead:
    'Compared is the origin: scheme, host and port, byte for byte. With www and without are two origins, and so are http and https.',
  site: 'Address of your site',
  csp: 'Content-Security-Policy of the page, if it has one',
  cspHint:
    'The header as the browser’s network tab shows it. Read here are addresses, not nonces and hashes in your page.',
  back: 'Return URL, if the page names one',
  code: 'The snippet as it stands on your page',
  codeHint:
    'The button’s tag and its script, with a little of what stands around them. Never paste a secret here.',
  check: 'Check',
  resultOrigin: 'The origin {origin}',
  resultOriginNone: 'The origin',
  resultCode: 'The snippet',
  resultPolicy: 'The policy',
  resultReturn: 'The return',
  fine: 'fine',
  stops: 'stops the button',
  askOperator: 'Send this to whoever runs the payment service:',
  askAllow: 'Please allow the origin {origin} for the public key {publicKey}.',

  settingsTitle: 'Settings for plug-ins',
  publicKey: 'Public key',
  scriptPinned: 'Script, pinned',
  integrity: 'Hash (integrity)',
  scriptMoving: 'Script, moving',
  origins: 'Allowed origins',
  returnUrl: 'Return URL',
  returnNone: 'none: each page names its own',
  policy: 'For a strict policy',
  payLinks: 'Pay links, without any script',
  proof:
    'That the buyer came back proves nothing. The shop’s server gives the goods away only after it has looked the payment up or got a signed event:',
  reference: 'the reference',
} as const
export type InstallKey = keyof typeof INSTALL_EN
