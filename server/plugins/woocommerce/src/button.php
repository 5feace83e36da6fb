<?php

/**
 * The pay button for any page: the shortcode `[kassa_pay product="tea" price="€15.00"]` and a block. The page's author writes only what
 * is to be sold. Where the script comes from is a setting, because not every author may choose scripts.
 */

declare(strict_types=1);

namespace Kassa\WordPress;

const BUTTON_FIELDS = ['product' => '', 'price' => '', 'label' => '', 'return' => '', 'key' => ''];
/** Keeps the button's room free until the script has loaded. */
const BUTTON_ROOM = 'display: inline-block; min-width: min(100%, 275px); min-height: 48px;';

add_shortcode('kassa_pay', fn ($given): string => drawButton(shortcode_atts(BUTTON_FIELDS, (array) $given, 'kassa_pay')));

add_action('init', function (): void {
    $needs = ['wp-blocks', 'wp-element', 'wp-block-editor', 'wp-components'];
    wp_register_script('kassa-button-block', plugins_url('assets/button-block.js', FILE), $needs, VERSION, true);
    $texts = [
        'title' => __('Kassa pay button', 'kassa'),
        'missing' => __('Write the id of the product, as your Kassa knows it.', 'kassa'),
        'fields' => [
            'product' => __('Id of the product', 'kassa'),
            'price' => __('Price, as it stands on the button', 'kassa'),
            'label' => __('Text, where %s is the price', 'kassa'),
            'return' => __('Page after paying', 'kassa'),
        ],
    ];
    wp_add_inline_script('kassa-button-block', 'window.kassaButtonBlock = ' . wp_json_encode($texts, JSON_HEX_TAG), 'before');
    register_block_type('kassa/pay-button', [
        'api_version' => 3,
        'title' => $texts['title'],
        'category' => 'widgets',
        'icon' => 'cart',
        'attributes' => array_map(fn () => ['type' => 'string', 'default' => ''], BUTTON_FIELDS),
        'editor_script' => 'kassa-button-block',
        'render_callback' => fn (array $given): string => drawButton($given + BUTTON_FIELDS),
    ]);
});

function drawButton(array $given): string
{
    $url = setting('url');
    $key = $given['key'] === '' ? setting('public_key') : $given['key'];
    if ($url === '' || $key === '' || $given['product'] === '') {
        $text = __('The pay button is missing something: the address and the public key stand under Settings, Kassa, and the product in this block.', 'kassa');
        return current_user_can('edit_posts') ? esc_html($text) : '';
    }
    wp_enqueue_script('kassa-pay', "$url/widget/v1/kassa.js", [], null, ['in_footer' => true, 'strategy' => 'async']);
    $attributes = array_filter([
        'public-key' => $key,
        'product-id' => $given['product'],
        'price' => $given['price'],
        'label' => $given['label'],
        'return-url' => $given['return'],
    ], 'strlen');
    $written = '';
    foreach ($attributes + ['endpoint' => $url, 'style' => BUTTON_ROOM] as $name => $value) {
        $written .= sprintf(' %s="%s"', $name, esc_attr($value));
    }
    /* translators: %s: a price */
    $text = $given['label'] === '' ? __('Pay %s', 'kassa') : $given['label'];
    $link = "$url/pay/" . rawurlencode($key) . '/' . rawurlencode($given['product']);
    $shown = trim(str_replace('%s', $given['price'], $text));
    // Themes give the column of the text to blocks alone.
    return sprintf('<p><kassa-pay%s><a href="%s">%s</a></kassa-pay></p>', $written, esc_url($link), esc_html($shown));
}
