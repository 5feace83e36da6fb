<?php

/** Settings, Kassa: the public key of the pay button, and what Kassa's doctor says of this site. */

declare(strict_types=1);

namespace Kassa\WordPress;

use DOMDocument;
use DOMXPath;

const PAGE = 'kassa';

add_action('admin_menu', function (): void {
    add_options_page('Kassa', 'Kassa', 'manage_options', PAGE, __NAMESPACE__ . '\showButtonPage');
});

add_action('admin_post_kassa_button', function (): void {
    if (!current_user_can('manage_options')) {
        wp_die(esc_html__('You may not change these settings.', 'kassa'), '', 403);
    }
    check_admin_referer('kassa_button');
    $stored = get_option(OPTION, []);
    $settings = is_array($stored) ? $stored : [];
    $key = sanitize_text_field(wp_unslash($_POST['public_key'] ?? ''));
    $url = untrailingslashit(trim(sanitize_text_field(wp_unslash($_POST['url'] ?? setting('url')))));
    $wrong = wrongButton($url, $key);
    if ($wrong === '') {
        update_option(OPTION, ['url' => $url, 'public_key' => $key] + $settings);
    } else {
        set_transient(typedName(), ['url' => $url, 'public_key' => $key], MINUTE_IN_SECONDS);
    }
    wp_safe_redirect(add_query_arg(['page' => PAGE, 'kassa' => $wrong === '' ? 'stored' : $wrong], admin_url('options-general.php')));
    exit;
});

/** After a mistake the form shows once what this person has typed. */
function typedName(): string
{
    return 'kassa_typed_' . get_current_user_id();
}

/** Returns which of the two is wrong, or an empty text. */
function wrongButton(string $url, string $key): string
{
    if (!preg_match('/^kpk_[0-9A-Za-z_]{1,116}$/D', $key)) {
        return 'key';
    }
    try {
        kassa(['url' => $url, 'token' => 'any']);
        return '';
    } catch (\InvalidArgumentException $wrong) {
        return 'url';
    }
}

function showButtonPage(): void
{
    $messages = [
        'stored' => ['success', __('Stored.', 'kassa')],
        'key' => ['error', __('The public key begins with kpk_. Nothing was stored.', 'kassa')],
        'url' => ['error', __('The address of Kassa begins with https:// and has no path, such as https://pay.example. Nothing was stored.', 'kassa')],
    ];
    // phpcs:ignore WordPress.Security.NonceVerification.Recommended
    [$kind, $text] = $messages[sanitize_key($_GET['kassa'] ?? '')] ?? ['', ''];
    $stored = ['url' => setting('url'), 'public_key' => setting('public_key')];
    $typed = $kind === 'error' ? get_transient(typedName()) : false;
    delete_transient(typedName());
    $shown = is_array($typed) ? $typed : $stored;
    ?>
    <div class="wrap">
        <h1>Kassa</h1>
        <?php if ($text !== '') { ?>
            <div class="notice notice-<?php echo esc_attr($kind); ?>"><p><?php echo esc_html($text); ?></p></div>
        <?php } ?>
        <h2><?php esc_html_e('The pay button', 'kassa'); ?></h2>
        <p><?php esc_html_e('Place the block “Kassa pay button”, or write this shortcode:', 'kassa'); ?> <code>[kassa_pay product="tea" price="€15.00"]</code></p>
        <form method="post" action="<?php echo esc_url(admin_url('admin-post.php')); ?>">
            <input type="hidden" name="action" value="kassa_button">
            <?php wp_nonce_field('kassa_button'); ?>
            <table class="form-table" role="presentation">
                <tr>
                    <th scope="row"><label for="kassa-url"><?php esc_html_e('Address of Kassa', 'kassa'); ?></label></th>
                    <td><input id="kassa-url" name="url" type="url" class="regular-text" placeholder="https://pay.example" value="<?php echo esc_attr($shown['url']); ?>"<?php disabled(setting('token') !== ''); ?>></td>
                </tr>
                <tr>
                    <th scope="row"><label for="kassa-key"><?php esc_html_e('Public key', 'kassa'); ?></label></th>
                    <td><input id="kassa-key" name="public_key" type="text" class="regular-text" placeholder="kpk_..." value="<?php echo esc_attr($shown['public_key']); ?>"></td>
                </tr>
            </table>
            <?php submit_button(); ?>
        </form>
        <?php echo wp_kses_post(showDoctor()); ?>
    </div>
    <?php
}

/** Asks the doctor of the install page about this site, in the language of whoever reads this. */
function showDoctor(): string
{
    if (setting('url') === '' || setting('public_key') === '') {
        return '';
    }
    $page = setting('url') . '/install/' . rawurlencode(setting('public_key')) . '?site=' . rawurlencode(home_url());
    $answer = wp_remote_get($page, ['timeout' => TIMEOUT_SECONDS, 'headers' => ['Accept-Language' => language()], 'limit_response_size' => ANSWER_BYTES_MAX]);
    $found = is_wp_error($answer) ? null : doctorIn(wp_remote_retrieve_body($answer));
    $text = $found ?? '<p>' . esc_html__('Kassa did not answer. Check the address and the public key.', 'kassa') . '</p>';
    $link = sprintf('<p><a href="%s">%s</a></p>', esc_url($page), esc_html__('The install page, with the doctor', 'kassa'));
    return '<h2>' . esc_html__('What Kassa’s doctor says', 'kassa') . "</h2>$text$link";
}

/** Returns the doctor's findings of an install page as a list, or null. */
function doctorIn(string $page): ?string
{
    if (!class_exists('DOMDocument') || $page === '') {
        return null;
    }
    $document = new DOMDocument();
    @$document->loadHTML('<?xml encoding="utf-8"?>' . $page);
    $lines = '';
    foreach ((new DOMXPath($document))->query('//*[@id="doctor-answer"]//li') as $line) {
        $lines .= '<li>' . esc_html(trim((string) preg_replace('/\s+/u', ' ', $line->textContent))) . '</li>';
    }
    return $lines === '' ? null : "<ul class=\"ul-disc\">$lines</ul>";
}
