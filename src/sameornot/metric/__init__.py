"""Which features matter: diagonal and full metrics, and the selective penalty."""
