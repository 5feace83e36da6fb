/** The install page in English, which defines the keys. */
export const INSTALL_EN = {
  title: 'Get paid online',
  leadLink: '{name}: send a link, or print a poster. Nothing on this page is secret.',
  lead: '{name}: send a link, or put a button on your site. Nothing on this page is secret.',
  unknownTitle: 'This page is no longer here',
  unknownText:
    'The address is incomplete, or the key was revoked. Ask the person who sent it to you for a new address.',
  plainReturn:
    'Payments that your shop’s own program makes bring buyers back to an address without https. Others on the way can read and change that page. Use an https address as returnUrl.',
  noProducts:
    'There is nothing to sell yet. The link and the button appear here as soon as a product is added.',

  optionsTitle: 'Change text, colours and language',
  product: 'Product',
  productMore:
    'There are more products than this list has. For another one, write ?product= and its key at the end of this page’s address.',
  label: 'Text on the button',
  labelHint: 'Leave it empty for the usual text. Write %s where the price should stand.',
  language: 'Language of the button',
  languagePage: 'as on the page',
  price: 'Price on the button',
  priceShown: 'shown',
  priceHidden: 'not shown',
  priceHint:
    'The payment page always takes the current price. If the price changes, copy the button again, or hide the price here.',
  comeBack: 'Where buyers land after paying',
  returnGuess:
    'Nobody has set a page yet, so {url} is only a guess. Make that page, or write the address of your own page.',
  returnSet: 'This page was set for you. Another page counts for the copied button only.',
  returnHint:
    'Only buyers who have paid land here, but anybody can open the address. So the page must not say “paid” by itself: let your server check the payment, or say that the order is being checked.',
  colours: 'Colours and corners',
  background: 'Button',
  text: 'Text',
  backgroundDark: 'Button, dark',
  textDark: 'Text, dark',
  radius: 'Corners, px',
  version: 'Updates',
  pinned: 'never change: version {version}',
  moving: 'update by itself',
  versionHint:
    '“Never change” pins the button to exactly this version with a checksum. “Update by itself” brings repairs without a new copy.',
  show: 'Show it',

  previewLight: 'This is your button',
  previewDark: 'On a dark page',
  previewPressed:
    'It works. On your site the buyer would go to the payment page now. Here no payment starts.',
  previewScript: 'To see the button, switch JavaScript on. The text to copy works without it.',

  comeBackPage: 'Page on your site',
  contrastLight: 'The text is hard to read on this button. Choose a darker or a lighter colour.',
  contrastDark: 'On dark pages the text is hard to read on this button. Choose a darker or a lighter colour.',
  amountChosen:
    'Buyers choose the amount on the payment page, so this product has no button. Share the link, put it on your site as an ordinary link, or print the poster.',
  sellsOne: 'The button sells one piece. Buyers who open the pay link choose how many.',
  anyAmount: 'any amount',
  anyAmountPoster: 'You choose the amount',
  shareTitle: 'No website? Share this link',
  shareText: 'Send it in a message, or put it into a post. The buyer opens it and pays.',
  shareLink: 'pay link',
  sharePoster: 'QR poster to print',
  posterCode: 'QR code of the payment page for {name}',
  posterAct: 'Scan with your phone’s camera to pay',
  posterHint: 'To print, use your browser’s print command.',
  print: 'Print',
  posterTitle: 'Poster',
  posterLead: 'Choose, look, print. The code leads to your payment page.',
  posterBack: 'Back to the link',
  posterSize: 'Paper',
  posterA4: 'A4, for a wall',
  posterA6: 'A6, for a counter',
  posterTent: 'Table tent',
  posterTexts: 'Language',
  posterAllTexts: 'All three',
  posterPhoto: 'Photo',
  posterWithPhoto: 'With photo',
  posterWithoutPhoto: 'Without',
  posterNoPhoto: 'This product has no photo yet.',
  posterPreview: 'This is what is printed',
  posterPaperA4: 'A4, 210 × 297 mm. Print at 100%.',
  posterPaperA6: 'A6, 105 × 148 mm. Print at 100%, on A6 paper or on a larger sheet to cut.',
  posterPaperTent: 'A4, folded twice: both sides of the tent show the same. Print at 100%.',
  posterFold:
    'Fold back along both lines. Tape this edge to the opposite edge of the sheet: the tent stands.',
  posterTooLong:
    'The address is long, so the squares of the code are small on A6. Ask for a short address, or print a larger size.',
  posterShareLink: 'Send the link',
  posterSave: 'Save as a picture',
  posterShare: 'Share the picture',
  platformTitle: 'Where is your site made?',
  platform_woocommerce: 'WooCommerce',
  platform_squarespace: 'Squarespace',
  platform_opencart: 'OpenCart',
  platform_joomla: 'Joomla',
  platform_gtm: 'Google Tag Manager',
  note_woocommerce:
    'Edit the product or page, add a “Custom HTML” block, and paste it there. The button sells this product by itself: it does not use WooCommerce’s cart and makes no order there.',
  note_squarespace:
    'Edit the page, add a “Code” block, choose HTML and paste it. Scripts need a Business plan or higher. On other plans give an ordinary Squarespace button the pay link above.',
  note_opencart:
    'In Extensions › Modules add “HTML Content”, switch its editor to code view (</>), paste it, and place the module with Design › Layouts.',
  note_joomla:
    'Add a module of the type “Custom”. In your profile set the editor to “None” first, or the editor removes the script. A Super User can paste scripts; others need the text filter “No Filtering”.',
  note_gtm:
    'Add a “Custom HTML” tag and paste it. Your page needs an element with the id kassa-button: the button appears inside it.',
  doctorMore: 'More to check, for developers',
  snippetsTitle: 'Have a website? Add this button',
  copy: 'Copy',
  copied: 'Copied',
  copyByHand: 'Select it and copy by hand',
  platform_html: 'Any website (HTML)',
  platform_script: 'One line of HTML',
  platform_wordpress: 'WordPress',
  platform_tilda: 'Tilda',
  platform_wix: 'Wix',
  platform_shopify: 'Shopify',
  platform_webflow: 'Webflow',
  platform_react: 'React',
  platform_vue: 'Vue',
  note_html:
    'Paste it where the button should appear. A second button on the same page does not need the script line again.',
  note_script:
    'The button appears where you paste this line. Without JavaScript buyers see nothing. If your pages change without loading (Astro, Turbo, swup), use the first form.',
  note_wordpress:
    'In an empty line type /html, choose “Custom HTML” and paste it there. Pasted anywhere else, it becomes a plain link. You need to be an administrator or an editor, and in a network of sites the network’s administrator. For everybody else WordPress removes the button when they save, and a plain link stays. They can add a “Buttons” block and give it the pay link above. On WordPress.com you need a plan with plug-ins.',
  note_tilda:
    'Use the block “HTML code” (T123, in “Other”). It needs a paid plan. You see the button on the published page, not in the editor. Let us know both addresses if your site has a Tilda address and one of its own.',
  note_wix:
    'Do not use “Embed HTML”. Choose “Add Elements › Embed › Custom Element” (Studio: “Embed & Social”), then “Choose Source” with the server URL, then “Set Attributes”, one for each line. It needs a premium plan with your own domain. On a free plan give an ordinary Wix button the link in the last line.',
  note_shopify:
    'In the theme editor choose “Add section” or “Add block”, then “Custom Liquid”. The button sells this one product: it does not know the cart, makes no Shopify order, and cannot stand in Shopify’s checkout.',
  note_webflow:
    'Paste it into a “Code Embed” element. It needs a paid site plan. You see the button after publishing.',
  note_react:
    'React 18 and 19; with server components (Next.js) “use client” goes first. TypeScript wants the element declared in JSX.IntrinsicElements. It may mount twice (StrictMode): the script is inserted once.',
  note_vue: 'Vue has to be told that the element is not one of its components: the comment says where.',

  doctorTitle: 'The button does not work? Check it',
  doctorLead:
    'The address must match exactly. With www and without www are two addresses, and so are http and https.',
  site: 'Address of your site',
  csp: 'Content-Security-Policy',
  cspHint: 'The header of your page, if it has one, as the browser’s network tab shows it.',
  back: 'Return address in the code',
  code: 'The button’s code from your page',
  codeHint: 'The button’s lines as they stand on your page. Never paste a password or a secret key here.',
  check: 'Check',
  resultOrigin: 'The address {origin}',
  resultOriginNone: 'The address',
  resultCode: 'The code',
  resultPolicy: 'The Content-Security-Policy',
  resultReturn: 'The return address',
  fine: 'fine',
  stops: 'stops the button',
  askOperator: 'Send this to the person who runs your payment service:',
  askAllow: 'Please allow the origin {origin} for the public key {publicKey}.',

  settingsTitle: 'For developers and plug-ins',
  publicKey: 'Public key',
  scriptPinned: 'Script, fixed version',
  integrity: 'Checksum (integrity)',
  scriptMoving: 'Script, current version',
  origins: 'Allowed addresses',
  returnUrl: 'Return URL',
  returnNone: 'none: each page names its own',
  policy: 'For a Content-Security-Policy',
  payLinks: 'Pay links',
  proof:
    'A buyer who comes back proves nothing. The shop’s server must look the payment up, or wait for a signed event, before it hands the goods over:',
  reference: 'the reference',
} as const
export type InstallKey = keyof typeof INSTALL_EN
