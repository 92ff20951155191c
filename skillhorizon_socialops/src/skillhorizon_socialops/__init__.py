"""SocialOps: a paid-social desk runs campaign briefs wave by wave, from licensed assets to the deployed winner."""
